// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Proofs from a stored tree; rows that are not stored are recomputed from the leaves.

use std::io::{Read, Seek};

use halimede_arith::job::Execute;
use halimede_arith::Fr;

use super::builder::TreeBuilder;
use super::keep::Path;
use super::leaves::Leaves;
use super::proof::{Proof, Step};
use super::shape::Shape;
use super::stored::Tree;
use super::{TreeError, BATCH_NODES};
use crate::operations::FilecoinHash;

impl<S: Read + Seek> Tree<S> {
    /// Returns the proof of a leaf, for a tree that stores its leaves.
    ///
    /// # Errors
    /// [`TreeError::LeafIndex`]; [`TreeError::Row`] if the leaves are not stored, see
    /// [`Self::proof_with`]; [`TreeError::Damaged`] if stored rows do not lead to the root.
    pub fn proof(&mut self, index: u64) -> Result<Proof, TreeError> {
        self.require_leaf(index)?;
        let arities = self.layout().shape().arities().to_vec();
        let mut path = Vec::new();
        let leaf = self.stored_path(0, index, &arities, &mut path)?;
        self.checked(index, leaf, Vec::new(), path)
    }

    /// Returns the proof of a leaf. The rows that are not stored are recomputed on `device`, from
    /// the leaves below the lowest stored node of the path.
    ///
    /// # Errors
    /// [`TreeError::LeafIndex`]; [`TreeError::LeafCount`] or [`TreeError::OtherLeaves`] if the
    /// leaves are not those of this tree, or any other error of the leaves; [`TreeError::Damaged`]
    /// if stored rows do not lead to the root; [`TreeError::Device`].
    pub fn proof_with<D: Execute<FilecoinHash>, L: Leaves>(
        &mut self,
        device: &D,
        leaves: &mut L,
        index: u64,
    ) -> Result<Proof, TreeError> {
        self.require_leaf(index)?;
        let expected = self.layout().shape().leaves();
        if leaves.count() != expected {
            return Err(TreeError::LeafCount { got: leaves.count(), expected });
        }
        let column = leaves.column(index)?;
        let row = self.layout().lowest_row();
        let arities = self.layout().shape().arities().to_vec();
        let mut path = Vec::new();
        let mut leaf = None;
        let mut node = index;
        if row > 0 {
            node = index / self.layout().shape().leaves_below(row);
            let (computed, groups) = self.rebuilt(device, leaves, node, index)?;
            if self.nodes(row, node, 1)? != [computed] {
                return Err(TreeError::OtherLeaves { row, node });
            }
            for (group, position) in groups.into_groups() {
                leaf = leaf.or(group.get(position).copied());
                path.push(step(group, position));
            }
        }
        let stored = self.stored_path(row, node, &arities[row..], &mut path)?;
        let leaf = leaf.unwrap_or(stored);
        if row == 0 && leaves.read(index, 1)? != [leaf] {
            return Err(TreeError::OtherLeaves { row, node });
        }
        self.checked(index, leaf, column, path)
    }

    fn require_leaf(&self, index: u64) -> Result<(), TreeError> {
        let leaves = self.layout().shape().leaves();
        if index < leaves {
            return Ok(());
        }
        Err(TreeError::LeafIndex { index, leaves })
    }

    /// Recomputes a node of the lowest stored row from the leaves below it, and collects the groups
    /// on the path of leaf `index`.
    fn rebuilt<D: Execute<FilecoinHash>, L: Leaves>(
        &self,
        device: &D,
        leaves: &mut L,
        node: u64,
        index: u64,
    ) -> Result<(Fr, Path), TreeError> {
        let layout = self.layout();
        let below = Shape::new(layout.shape().arities()[..layout.lowest_row()].to_vec())?;
        let first = node * below.leaves();
        let path = Path::new(below.arities(), index - first);
        let count = below.leaves();
        let mut tree = TreeBuilder::shaped(device, below, layout.strength(), path)?;
        let mut done = 0;
        while done < count {
            let piece = (count - done).min(BATCH_NODES as u64);
            tree.push_leaves(&leaves.read(first + done, piece as usize)?)?;
            done += piece;
        }
        tree.finish_kept()
    }

    /// Appends the steps from a node of a stored row to the root; returns the node.
    fn stored_path(
        &mut self,
        row: usize,
        node: u64,
        arities: &[usize],
        path: &mut Vec<Step>,
    ) -> Result<Fr, TreeError> {
        let first = self.nodes(row, node, 1)?;
        let mut node = node;
        for (level, &arity) in arities.iter().enumerate() {
            let position = (node % arity as u64) as usize;
            let group = self.nodes(row + level, node - position as u64, arity)?;
            path.push(step(group, position));
            node /= arity as u64;
        }
        Ok(first.first().copied().unwrap_or_default())
    }

    /// Verifies the proof; a failure shows that the stored tree is damaged.
    fn checked(
        &self,
        index: u64,
        leaf: Fr,
        column: Vec<Fr>,
        path: Vec<Step>,
    ) -> Result<Proof, TreeError> {
        let strength = self.layout().strength();
        let proof = Proof::new(strength, leaf, column, path, self.root()).ok();
        proof
            .filter(|proof| proof.verify(&self.root()).is_ok() && proof.leaf_index() == index)
            .ok_or(TreeError::Damaged { index })
    }
}

/// A group without the node at `position`.
fn step(mut siblings: Vec<Fr>, position: usize) -> Step {
    if position < siblings.len() {
        siblings.remove(position);
    }
    Step { position, siblings }
}
