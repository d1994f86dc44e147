//! Formats JSON pointers (RFC 6901) in a readable form.

/// Formats `/items/0/name` as `items[0].name`; empty for a pointer to the whole value.
pub fn dotted(pointer: &str) -> String {
    let mut name = String::new();
    for part in pointer.split('/').skip(1) {
        if !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()) {
            name.push_str(&format!("[{part}]"));
        } else {
            name.push_str(if name.is_empty() { "" } else { "." });
            name.push_str(&part.replace("~1", "/").replace("~0", "~"));
        }
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_and_items_are_distinguished() {
        for (pointer, name) in [
            ("", ""),
            ("/a", "a"),
            ("/messages/0/content", "messages[0].content"),
            ("/0/1", "[0][1]"),
            ("/a~1b~0c", "a/b~c"),
            ("/a//b", "a..b"),
        ] {
            assert_eq!(dotted(pointer), name, "{pointer}");
        }
    }
}
