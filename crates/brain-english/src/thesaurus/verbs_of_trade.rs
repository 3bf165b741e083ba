//! Actions of trade: orders, stock, deliveries, prices and payments.

use super::{Group, action};

/// Sorted by name.
#[rustfmt::skip]
pub(super) static GROUPS: [Group; 33] = [
    action(
        "budget",
        &[
            "allow for", "budget", "can we afford", "cap it at", "cap spending", "cost it out", "cut costs",
            "forecast", "how much can i spend", "how much can we spend", "no more than", "over budget",
            "put money aside", "set aside money", "stay within", "tighten our belts",
        ],
        &["afford", "allocate", "cap", "limit", "plan", "set aside", "spend"],
    ),
    action(
        "buy",
        &[
            "acquire", "bought", "buy", "duck down to the shop", "fork out for", "get from the shop",
            "get from the shops", "go get some", "grab some", "invest in", "pick up from the shop", "pick up some",
            "procure", "purchase", "run to the shop for", "shell out for", "snap up", "splash out on", "splurge on",
            "spring for",
        ],
        &["fetch", "find", "get", "got", "grab", "pick up", "source"],
    ),
    action(
        "charge",
        &[
            "bill to", "charge", "charge for", "charge to", "debit", "direct debit", "hit the card", "hit them for",
            "hit with a fee", "put it on the card", "put it on the tab", "put it on their card", "put on the card",
            "put on the tab", "put on their card", "put on their tab", "run the card", "run their card", "slap with",
            "slug",
        ],
        &["bill", "bill for", "invoice", "sting", "take", "took"],
    ),
    action(
        "chase payment",
        &[
            "chase debts", "chase for payment", "chase for the money", "chase overdue", "chase payment",
            "chase the debt", "chase the invoice", "chase the money", "chase them for payment",
            "chase them for the money", "chase up payment", "chase up the bill", "chase up the invoice",
            "chase up the money", "follow up on payment", "follow up on the invoice", "follow up payment",
            "follow up the invoice", "get our money", "get the money out of",
        ],
        &["chase", "chase up", "follow up", "hound", "nudge", "owe", "owing"],
    ),
    action(
        "claim expenses",
        &[
            "claim back", "claim expenses", "claim for", "claim it back", "claim my expenses", "expense",
            "get reimbursed", "get the money back for", "out of pocket", "pay me back", "put in a claim",
            "put in my receipts", "put it on expenses", "put on expenses", "put through expenses", "reimburse",
            "submit a receipt", "submit expenses", "submit my expenses", "submit receipts",
        ],
        &["bought", "claim", "cost me", "receipt for", "set me back", "spend", "spent"],
    ),
    action(
        "count stock",
        &[
            "check inventory", "check stock", "check the stock", "count stock", "count the stock", "cycle count",
            "do an inventory", "do inventory", "have we got enough", "how many are left", "how many left",
            "how much is left", "how much stock", "inventory count", "stock check", "stock count", "stock levels",
            "stock take", "stocktake", "take inventory",
        ],
        &["audit", "count", "in stock", "on hand", "take stock"],
    ),
    action(
        "credit",
        &[
            "adjust their account", "credit", "credit back", "credit note", "goodwill gesture",
            "knock off their next bill", "offset against", "put it towards", "put towards their next", "store credit",
            "take off the next invoice", "take off their next bill",
        ],
        &["adjust", "give back", "offset", "refund", "top up"],
    ),
    action(
        "deliver",
        &[
            "bring over", "bring round", "brought over", "brought round", "deliver", "drop around", "drop it off",
            "drop off", "drop over", "drop round", "get out to", "get over to", "mark as delivered", "run it over",
            "run over to", "run round to", "take out to", "take over to", "take round to", "took over to",
        ],
        &["bring to", "get it to", "get to", "hand over", "take to", "taken to", "took to"],
    ),
    action(
        "discount",
        &[
            "bring down the price", "bring the price down", "discount", "drop the price", "knock a bit off",
            "knock down the price", "knock off", "knock some off", "knock something off", "money off", "off the bill",
            "off the price", "off the total", "percent off", "shave a bit off", "shave off", "take a bit off",
            "take something off", "taken off", "took off",
        ],
        &["cheaper", "deduct", "lop off", "lower", "reduce", "sale", "special"],
    ),
    action(
        "exchange",
        &[
            "change for", "change it for", "different color", "different size", "do a swap", "exchange",
            "next size up", "replace", "replace with", "replacement for", "swap", "swap for", "swap out", "swap over",
            "switch for", "switch it for", "the next size down", "trade", "trade for", "trade in",
        ],
        &["change", "convert", "get another", "instead of", "return", "substitute", "switch"],
    ),
    action(
        "invoice",
        &[
            "bill", "bill for", "bill out", "do the billing", "get billed", "invoice", "invoice for", "invoice out",
            "invoice up", "progress claim", "put it on their account", "put on account", "put on the account",
            "put on the bill", "put on their account", "put on their tab", "send the tab",
        ],
        &["account for", "charge", "charge for", "statement"],
    ),
    action(
        "order",
        &[
            "almost out of", "bought in", "buy in", "get delivered", "get more of", "get shipped", "get some more",
            "get us some", "low on", "nearly out of", "order", "order in", "order up", "run out of", "running low on",
            "running out of", "send away for", "sent away for", "we need more", "were out of",
        ],
        &["buy", "can i have", "could i have", "get in", "get more", "id like", "need more"],
    ),
    action(
        "pack",
        &[
            "bag up", "box up", "bundle up", "chuck in a box", "get ready to go out", "get ready to send", "load",
            "make up a parcel", "make up an order", "make up the order", "pack", "pack up", "package", "package up",
            "parcel up", "put in a box", "put together an order", "ready to ship", "wrap", "wrap up", "wrapped up",
        ],
        &["bag", "box", "fill", "get ready", "prep", "prepare", "put together"],
    ),
    action(
        "pay",
        &[
            "cough up", "cut a check", "fix them up", "foot the bill", "fork out", "fork over", "forked out",
            "made a payment", "make a payment", "paid", "paid back", "paid for", "paid off", "paid out", "paid up",
            "pay", "pay back", "pay down", "pay for", "pay off", "pay out", "pay up", "pick up the bill",
            "pick up the check", "pick up the tab", "put a payment through", "put through a payment", "send money to",
            "send payment", "send the money", "settle", "settle up", "shell out", "square up with", "squared up",
            "stump up",
        ],
        &["fix up", "spent", "square up", "transfer", "wire"],
    ),
    action(
        "pick up",
        &[
            "came by for", "collect", "come and get", "come and grab", "come by and get", "come by for", "come in for",
            "come in to get", "drop in and get", "fetch", "go and get", "go get", "go grab", "grab from", "pick up",
            "pop in and get", "pop in to get", "retrieve", "swing by and get", "swing by and grab", "take away",
            "went and got",
        ],
        &["came for", "come for", "get", "grab", "take", "taken", "took"],
    ),
    action(
        "quote",
        &[
            "bid", "bid for", "bid on", "cost", "cost out", "cost up", "do a costing", "do an estimate",
            "do up an estimate", "give an estimate", "how much would you charge", "price", "price up", "quote",
            "quote for", "quote on", "quote up", "tender", "tender for", "write up an estimate",
        ],
        &["estimate", "how much for", "offer", "price for", "propose", "value"],
    ),
    action(
        "receive payment",
        &[
            "been paid", "coughed up", "finally paid", "got paid", "has paid", "have paid", "hes paid", "just paid",
            "money came in", "money came through", "money has cleared", "money has come in", "money hit the account",
            "money is in", "moneys in", "paid by card", "paid by check", "paid cash", "paid half", "paid in cash",
            "paid in full", "paid off", "paid the deposit", "paid the invoice", "paid their bill",
            "paid their invoice", "paid up", "paid us", "payment came in", "payment came through",
            "payment has come through", "payment went through", "receive payment", "shes paid", "they paid",
            "theyve paid",
        ],
        &["bank", "came through", "cleared", "collect", "paid", "pocket", "receive", "settled", "went through"],
    ),
    action(
        "receive stock",
        &[
            "came in", "check in", "delivery arrived", "delivery came", "delivery turned up", "goods in",
            "got a delivery", "got in a delivery", "got in today", "has come in", "just came in", "receive",
            "receive stock", "stock arrived", "stock has arrived", "take delivery", "the delivery has arrived",
            "took delivery of", "turned up today", "we got in",
        ],
        &["accept", "arrive", "arrived", "got", "got in", "take in"],
    ),
    action(
        "reconcile",
        &[
            "balance the books", "balance the drawer", "balance the till", "bank rec", "bank reconciliation",
            "cash out the till", "cash up", "count the drawer", "count the till", "do the banking",
            "do the bookkeeping", "do the books", "doing the books", "match payments", "match to the bank", "match up",
            "reconcile", "square the books", "square up the till", "z off",
        ],
        &["balance", "check off", "compare", "match", "settle", "square"],
    ),
    action(
        "refund",
        &[
            "charge back", "chargeback", "credit back", "give back the deposit", "give back the money", "money back",
            "paid back", "pay back", "pay them back", "put back on the card", "put back on their card",
            "put it back on", "refund", "refund back", "reimburse", "reimburse for", "return the money",
            "reverse the charge", "reverse the payment", "reverse the transaction",
        ],
        &["compensate", "credit", "give back", "rebate", "repaid", "repay", "void"],
    ),
    action(
        "renew",
        &[
            "about to expire", "another term", "another twelve months", "another year", "due for renewal",
            "expiring soon", "extend", "keep going for another", "keep it going", "re sign", "renew", "resign up",
            "resubscribe", "roll over", "running out soon", "sign on again", "sign on for another", "sign up again",
            "sign up for another", "up for renewal",
        ],
        &["continue", "expire", "prolong", "update"],
    ),
    action(
        "rent out",
        &[
            "airbnb", "find tenants", "hire out", "lease", "lease out", "lease to", "let out", "let to",
            "list for rent", "move in", "moved in", "moving in", "on the rental market", "put up for rent", "rent out",
            "rent to", "rented to", "sublease", "sublet", "tenant",
        ],
        &["charter", "extend", "hire", "lend", "let", "loan", "lodge", "rent"],
    ),
    action(
        "reorder",
        &[
            "get more in", "get more of", "get some more in", "order again", "order another", "order more",
            "order some more", "re order", "refill", "reorder", "repeat order", "repeat the order", "replenish",
            "restock", "same again", "same as last time", "same order as last", "the regular order", "the usual",
            "top up",
        ],
        &["bring in more", "get more", "order", "refresh", "repeat", "replace", "stock up on"],
    ),
    action(
        "reserve",
        &[
            "held", "held for", "hold", "hold for", "keep aside", "keep for", "keep one for", "kept for", "lay away",
            "lay by", "layby", "put aside", "put away for", "put by", "put on layaway", "reserve", "save for",
            "save one for", "saved for", "set aside",
        ],
        &["book", "keep", "kept", "retain", "save", "secure"],
    ),
    action(
        "return goods",
        &[
            "arrived broken", "arrived damaged", "came broken", "didnt fit", "doesnt fit", "faulty",
            "isnt what i ordered", "return", "return goods", "rma", "send back", "send it back", "sent back",
            "sent the wrong", "take back", "taken back", "took back", "wrong color", "wrong item", "wrong size",
        ],
        &["gave back", "give back", "hand back", "reject"],
    ),
    action(
        "sell",
        &[
            "flog", "flog off", "list for sale", "made a sale", "make a sale", "move units", "offload",
            "put on the market", "put through a sale", "put up for sale", "rang up", "resell", "ring up", "rung up",
            "sell", "sell to", "sold", "sold to", "unload", "upsell",
        ],
        &["let go", "list", "market", "move", "went for"],
    ),
    action(
        "set the price",
        &[
            "bump the price", "change the price", "charge out at", "hike the price", "is now worth", "mark up",
            "price at", "priced at", "put prices up", "put the price up", "put the prices up", "put up the prices",
            "raise prices", "raise the price", "raise the prices", "reprice", "sell at", "sell for", "set the price",
            "up the price",
        ],
        &["increase", "price", "set", "value"],
    ),
    action(
        "ship",
        &[
            "courier", "courier out", "courier over", "despatch", "dispatch", "freight", "freight out", "mail off",
            "mail out", "out the door", "post", "post off", "post out", "send off", "send out", "sent off", "sent out",
            "ship", "ship out", "shipped off",
        ],
        &["deliver", "forward", "mail", "send", "transport"],
    ),
    action(
        "split the bill",
        &[
            "break up the bill", "divide the bill", "down the middle", "fifty fifty", "go dutch", "go halves",
            "go halves on", "half each", "pay half and half", "pay separately", "separate bills", "separate checks",
            "split between", "split evenly", "split it", "split the bill", "split the check", "split the cost",
            "split the payment", "split the tab",
        ],
        &["apportion", "divide", "half", "halve", "separate", "split"],
    ),
    action(
        "take a deposit",
        &[
            "bond", "cash up front", "deposit", "down payment", "fifty percent up front", "half up front",
            "hold the card", "money up front", "paid up front", "pay up front", "put money down",
            "put some money down", "something up front", "take a deposit", "upfront payment",
        ],
        &["advance", "bank", "prepaid", "prepay", "retainer", "up front"],
    ),
    action(
        "use",
        &[
            "burn through", "consume", "deduct from stock", "draw down", "go into the job", "pull from stock",
            "put on the job", "take from stock", "take off the shelf", "take out of inventory", "take out of stock",
            "took from stock", "took off the shelf", "took out of stock", "use", "use up", "used on", "used the last",
            "used up", "went into the job",
        ],
        &["get through", "go through", "got through", "took", "took out", "went through"],
    ),
    action(
        "waive",
        &[
            "comp", "dont charge", "dont worry about the fee", "drop the charge", "drop the fee", "forget the fee",
            "free of charge", "let off", "let them off", "lose the fee", "no charge", "no fee", "on the house",
            "remove the charge", "remove the fee", "scrap the fee", "take off the charge", "take off the fee",
            "take the fee off", "waive",
        ],
        &["excuse", "forgive", "skip", "write off"],
    ),
    action(
        "write off",
        &[
            "absorb", "ate the cost", "bad debt", "chalk it up to experience", "chalk up to experience", "eat it",
            "eat the cost", "never going to pay", "put down to experience", "swallow the cost", "take the hit",
            "take the loss", "took the loss", "wear it", "wear the cost", "wont ever pay", "wont pay", "write off",
            "written off", "wrote off",
        ],
        &["forget", "forgive", "let go", "lose", "waive", "wipe"],
    ),
];
