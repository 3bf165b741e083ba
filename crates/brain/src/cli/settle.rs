//! Merges the flags of a command with environment variables and `brain.yaml`.

use std::sync::Arc;

use anyhow::Result;
use brain_core::TenantId;

use super::{Cli, Command, ServeArgs};
use crate::commands::Usage;
use crate::config::{Given, Settings};

impl Cli {
    /// The command with every option that the configuration has, whichever layer it comes from.
    pub(crate) fn settle(mut self) -> Result<Self> {
        let mut given = self.global.setting.clone();
        given.extend(self.flags());
        if let Command::Serve(args) = &self.command {
            given.extend(args.flags());
        }
        let settings = Settings::resolve(self.global.config.as_deref(), given)?;
        let config = settings.config();
        if let Some(tenant) = &config.tenant {
            tenant.parse::<TenantId>().map_err(|error| Usage(error.to_string()))?;
        }
        brain_tools::stand_in(config.secrets.clone());
        let global = &mut self.global;
        global.store.clone_from(&config.store);
        global.packs.clone_from(&config.packs);
        global.tenant.clone_from(&config.tenant);
        global.model.clone_from(&config.model);
        global.acting_as.clone_from(&config.acting_as);
        global.public_url.clone_from(&config.public_url);
        global.allow_private_hosts = config.allow_private_hosts.unwrap_or(false);
        global.settings = Arc::new(settings);
        Ok(self)
    }

    /// Keys that were given as options of every command.
    fn flags(&self) -> Vec<Given> {
        let global = &self.global;
        let texts = [
            ("store", "--store", &global.store),
            ("tenant", "--tenant", &global.tenant),
            ("server", "--server", &global.server),
            ("token", "--token", &global.token),
            ("profile", "--profile", &global.profile),
            ("model", "--model", &global.model),
            ("as", "--as", &global.acting_as),
            ("public_url", "--public-url", &global.public_url),
        ];
        let mut all: Vec<Given> = texts
            .into_iter()
            .filter_map(|(key, flag, text)| Some(Given::flag(key, flag, text.as_ref()?.as_str())))
            .collect();
        if !global.packs.is_empty() {
            let packs: Vec<String> = global.packs.iter().map(|pack| pack.display().to_string()).collect();
            all.push(Given::flag("packs", "--pack", packs));
        }
        if global.allow_private_hosts {
            all.push(Given::flag("allow_private_hosts", "--allow-private-hosts", true));
        }
        if let Some(format) = global.log_format {
            all.push(Given::flag("log_format", "--log-format", format!("{format:?}").to_lowercase()));
        }
        all
    }
}

impl ServeArgs {
    /// Keys that were given as options of `brain serve`.
    fn flags(&self) -> Vec<Given> {
        let texts = [
            ("address", "--addr", self.addr.map(|addr| addr.to_string())),
            ("socket", "--socket", self.socket.clone()),
            ("drain", "--drain", self.drain.map(|drain| drain.to_string())),
            ("notify.webhook", "--notify-webhook", self.notify_webhook.clone()),
            ("notify.secret", "--notify-secret", self.notify_secret.clone()),
            ("notify.command", "--notify-command", self.notify_command.clone()),
        ];
        let mut all: Vec<Given> =
            texts.into_iter().filter_map(|(key, flag, text)| Some(Given::flag(key, flag, text?))).collect();
        all.extend(self.max_blob_mib.map(|size| Given::flag("max_blob_mib", "--max-blob-mib", size)));
        all
    }
}
