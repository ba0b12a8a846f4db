// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The nodes at the end of a model, which the client can compute after decryption, and the nodes
//! that its outputs do not depend on.

use std::collections::{HashMap, HashSet};

use super::messages::{GraphMessage, NodeMessage};
use super::names::name_of;
use super::unsupported::{kind_of, ML};

/// The place of a node in the model.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Use {
    /// All nodes that depend on it can be computed after decryption.
    End,
    /// An operator on encrypted values depends on it.
    Inside {
        /// The operator, and the name of its node.
        user: String,
    },
}

/// The uses of all nodes.
pub(super) struct End {
    uses: Vec<Option<Use>>,
}

impl End {
    /// Finds the uses of nodes for these outputs.
    pub fn new(graph: &GraphMessage, outputs: &[&str]) -> Self {
        let encrypted = encrypted_names(graph);
        let mut needed: HashSet<&str> = outputs.iter().copied().collect();
        // The first node on encrypted values that depends on a name.
        let mut users: HashMap<&str, String> = HashMap::new();
        let mut uses = vec![None; graph.nodes.len()];
        for (place, node) in graph.nodes.iter().enumerate().rev() {
            if !node.outputs.iter().any(|output| needed.contains(output.as_str())) {
                continue;
            }
            let user = node.outputs.iter().find_map(|output| users.get(output.as_str())).cloned();
            uses[place] = Some(match &user {
                Some(user) => Use::Inside { user: user.clone() },
                None => Use::End,
            });
            let user = match can_follow_decryption(node, &encrypted) {
                true => user,
                false => Some(format!("{} (node {})", kind_of(node), name_of(place, node))),
            };
            // An empty name is an omitted input.
            for input in node.inputs.iter().filter(|input| !input.is_empty()) {
                needed.insert(input);
                if let Some(user) = &user {
                    users.insert(input, user.clone());
                }
            }
        }
        Self { uses }
    }

    /// Returns the use of a node; `None` if no output depends on it.
    pub fn use_of(&self, place: usize) -> Option<&Use> {
        self.uses.get(place).and_then(Option::as_ref)
    }
}

/// Returns the names of values that depend on the input.
fn encrypted_names(graph: &GraphMessage) -> HashSet<&str> {
    let constants: HashSet<&str> = graph.initializers.iter().map(|of| of.name.as_str()).collect();
    let inputs = graph.inputs.iter().map(|input| input.name.as_str());
    let mut names: HashSet<&str> = inputs.filter(|name| !constants.contains(name)).collect();
    for node in &graph.nodes {
        // The shape of a value is known.
        let is_known = kind_of(node) == "Shape";
        if !is_known && node.inputs.iter().any(|input| names.contains(input.as_str())) {
            names.extend(node.outputs.iter().map(String::as_str));
        }
    }
    names
}

/// Returns `true` if the client can compute a node from decrypted values.
fn can_follow_decryption(node: &NodeMessage, encrypted: &HashSet<&str>) -> bool {
    let kind = kind_of(node);
    let inputs = node.inputs.iter().filter(|input| encrypted.contains(input.as_str()));
    match kind.strip_prefix(ML).unwrap_or(&kind) {
        "Add" | "Sub" | "Mul" | "Div" => inputs.count() == 1,
        "Neg" | "Concat" | "Identity" | "Dropout" | "Cast" | "Flatten" | "Reshape" | "Squeeze"
        | "Unsqueeze" | "Transpose" | "Slice" | "Split" | "Gather" | "Expand" => true,
        _ => is_nonlinear_end(&kind) || only_after_decryption(&kind),
    }
}

/// Returns `true` for a function of each value that may be the network's last: it is exact after
/// decryption, and needs levels before. It can be inverted, so that the client learns no more.
pub(super) fn is_nonlinear_end(kind: &str) -> bool {
    matches!(kind, "Sigmoid" | "Tanh")
}

/// Returns `true` for an operator that is only supported after decryption.
pub(super) fn only_after_decryption(kind: &str) -> bool {
    let own = kind.strip_prefix(ML);
    matches!(kind, "Softmax" | "LogSoftmax" | "ArgMax" | "Greater" | "GreaterOrEqual")
        || matches!(own, Some("Normalizer" | "ZipMap" | "ArrayFeatureExtractor"))
}
