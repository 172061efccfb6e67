//! Which name was meant.

/// The nearest of `names` to `text`, if one is near enough to be meant.
pub fn nearest<'a>(text: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    names
        .map(|name| (strsim::damerau_levenshtein(&text.to_lowercase(), &name.to_lowercase()), name))
        .min_by_key(|(distance, _)| *distance)
        .filter(|(distance, name)| *distance <= 1 + name.len() / 4)
        .map(|(_, name)| name)
}
