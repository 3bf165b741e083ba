//! `expr`: computes a result from its input. It reads and writes no records.

use brain_core::Failure;
use brain_engine::{JobContext, RecordView};
use brain_registry::model::ExprBehavior;
use brain_registry::{ToolResult, ValidatedCall};

use crate::Toolbox;
use crate::values::to_failure;

impl Toolbox {
    pub(crate) fn expr(
        &self,
        behavior: &ExprBehavior,
        call: &ValidatedCall,
        job: &JobContext,
        records: &mut RecordView<'_>,
    ) -> Result<ToolResult, Failure> {
        let mut evaluation = self.evaluation(call, job)?;
        self.check_requires(call, job, &mut evaluation, records)?;
        let data = evaluation.json(&behavior.result).map_err(|error| to_failure("result", &error))?;
        Ok(ToolResult::ok(data))
    }
}
