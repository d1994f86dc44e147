//! Groups of records that matches join, and the choice of one partner for each record.

/// Records joined by pairs, each group in order, groups by their first record.
#[must_use]
pub fn groups(count: usize, pairs: &[(usize, usize)]) -> Vec<Vec<usize>> {
    let mut parents: Vec<usize> = (0..count).collect();
    for (a, b) in pairs {
        let (a, b) = (root(&mut parents, *a), root(&mut parents, *b));
        if let Some(parent) = parents.get_mut(a.max(b)) {
            *parent = a.min(b);
        }
    }
    let mut groups: Vec<Vec<usize>> = vec![Vec::new(); count];
    for record in 0..count {
        let root = root(&mut parents, record);
        if let Some(group) = groups.get_mut(root) {
            group.push(record);
        }
    }
    groups.retain(|group| group.len() > 1);
    groups
}

/// The first record of the group; the way there is halved for the next time.
fn root(parents: &mut [usize], mut record: usize) -> usize {
    while let Some(parent) = parents.get(record).copied().filter(|parent| *parent != record) {
        let above = parents.get(parent).copied().unwrap_or(parent);
        if let Some(own) = parents.get_mut(record) {
            *own = above;
        }
        record = above;
    }
    record
}

/// Which of the pairs (the likeliest first) stay when every record has one partner at most.
#[must_use]
pub fn once(count: usize, pairs: &[(usize, usize)]) -> Vec<bool> {
    let mut taken = vec![false; count];
    let mut keep = Vec::with_capacity(pairs.len());
    for (a, b) in pairs {
        let free = [a, b].into_iter().all(|place| taken.get(*place) == Some(&false));
        for place in [a, b].into_iter().filter(|_| free) {
            if let Some(mark) = taken.get_mut(*place) {
                *mark = true;
            }
        }
        keep.push(free);
    }
    keep
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joins_chains_and_keeps_the_likeliest() {
        assert_eq!(groups(6, &[(3, 4), (0, 3), (5, 1)]), vec![vec![0, 3, 4], vec![1, 5]]);
        assert_eq!(once(4, &[(0, 2), (0, 3), (1, 2), (1, 3)]), [true, false, false, true]);
    }
}
