//! Names of units of measure, by the symbol of the unit.

/// The symbol of each unit, and its names.
pub const UNITS: [(&str, &[&str]); 30] = [
    ("mm", &["mm", "millimetre", "millimetres", "millimeter", "millimeters"]),
    ("cm", &["cm", "centimetre", "centimetres", "centimeter", "centimeters"]),
    ("m", &["m", "metre", "metres", "meter", "meters"]),
    ("km", &["km", "kms", "kilometre", "kilometres", "kilometer", "kilometers"]),
    ("in", &["inch", "inches"]),
    ("ft", &["ft", "foot", "feet"]),
    ("yd", &["yd", "yds", "yard", "yards"]),
    ("mi", &["mi", "mile", "miles"]),
    ("m2", &["sqm"]),
    ("ft2", &["sqft"]),
    ("ha", &["ha", "hectare", "hectares"]),
    ("acre", &["acre", "acres"]),
    ("ml", &["ml", "millilitre", "millilitres", "milliliter", "milliliters"]),
    ("l", &["l", "litre", "litres", "liter", "liters"]),
    ("m3", &["cbm"]),
    ("mg", &["mg", "milligram", "milligrams"]),
    ("g", &["g", "gram", "grams"]),
    ("kg", &["kg", "kgs", "kilo", "kilos", "kilogram", "kilograms"]),
    ("t", &["t", "tonne", "tonnes"]),
    ("oz", &["oz", "ounce", "ounces"]),
    ("lb", &["lb", "lbs", "pound", "pounds"]),
    ("s", &["s", "sec", "secs", "second", "seconds"]),
    ("min", &["min", "mins", "minute", "minutes"]),
    ("h", &["h", "hr", "hrs", "hour", "hours"]),
    ("d", &["d", "day", "days"]),
    ("wk", &["wk", "wks", "week", "weeks"]),
    ("w", &["w", "watt", "watts"]),
    ("kw", &["kw", "kilowatt", "kilowatts"]),
    ("wh", &["wh"]),
    ("kwh", &["kwh"]),
];
/// Words before a length that make it an area.
pub const SQUARE: [&str; 2] = ["square", "sq"];
/// Words before a length that make it a volume.
pub const CUBIC: [&str; 2] = ["cubic", "cu"];
