// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Writes ONNX files for the tests, field by field, by the numbers of `onnx.proto`.

/// A message of a protocol buffer.
#[derive(Clone, Default)]
pub struct Message(Vec<u8>);

fn varint(mut value: u64, bytes: &mut Vec<u8>) {
    while value >= 128 {
        bytes.push(value as u8 | 128);
        value >>= 7;
    }
    bytes.push(value as u8);
}

impl Message {
    pub fn int(mut self, field: u64, value: i64) -> Self {
        varint(field << 3, &mut self.0);
        varint(value as u64, &mut self.0);
        self
    }

    pub fn float(mut self, field: u64, value: f32) -> Self {
        varint(field << 3 | 5, &mut self.0);
        self.0.extend(value.to_le_bytes());
        self
    }

    pub fn bytes(mut self, field: u64, value: &[u8]) -> Self {
        varint(field << 3 | 2, &mut self.0);
        varint(value.len() as u64, &mut self.0);
        self.0.extend(value);
        self
    }

    pub fn text(self, field: u64, value: &str) -> Self {
        self.bytes(field, value.as_bytes())
    }

    pub fn message(self, field: u64, value: &Self) -> Self {
        self.bytes(field, &value.0)
    }

    pub fn done(self) -> Vec<u8> {
        self.0
    }
}

/// The storage of a tensor's values.
#[derive(Clone, Copy)]
pub enum Store {
    RawFloat,
    Float,
    RawDouble,
    RawInt64,
    Int64,
}

pub fn tensor(name: &str, axes: &[usize], values: &[f64], store: Store) -> Message {
    let dims = axes.iter().fold(Message::default(), |m, axis| m.int(1, *axis as i64));
    let kind = match store {
        Store::RawFloat | Store::Float => 1,
        Store::RawDouble => 11,
        Store::RawInt64 | Store::Int64 => 7,
    };
    let head = dims.int(2, kind).text(8, name);
    let raw = |of: &dyn Fn(&f64) -> Vec<u8>| -> Vec<u8> { values.iter().flat_map(of).collect() };
    match store {
        Store::RawFloat => head.bytes(9, &raw(&|x| (*x as f32).to_le_bytes().to_vec())),
        Store::RawDouble => head.bytes(9, &raw(&|x| x.to_le_bytes().to_vec())),
        Store::RawInt64 => head.bytes(9, &raw(&|x| (*x as i64).to_le_bytes().to_vec())),
        // Packed, and one by one.
        Store::Float => head.bytes(4, &raw(&|x| (*x as f32).to_le_bytes().to_vec())),
        Store::Int64 => values.iter().fold(head, |m, x| m.int(7, *x as i64)),
    }
}

pub fn ints(name: &str, values: &[i64]) -> Message {
    let head = Message::default().text(1, name);
    values.iter().fold(head, |m, value| m.int(8, *value)).int(20, 7)
}

pub fn int(name: &str, value: i64) -> Message {
    Message::default().text(1, name).int(3, value).int(20, 2)
}

pub fn float(name: &str, value: f32) -> Message {
    Message::default().text(1, name).float(2, value).int(20, 1)
}

pub fn text(name: &str, value: &str) -> Message {
    Message::default().text(1, name).text(4, value).int(20, 3)
}

pub fn texts(name: &str, values: &[&str]) -> Message {
    let head = Message::default().text(1, name);
    values.iter().fold(head, |m, value| m.text(9, value)).int(20, 8)
}

pub fn node(operator: &str, inputs: &[&str], output: &str, attributes: &[Message]) -> Message {
    node_of_several(operator, inputs, &[output], attributes)
}

/// Returns a node with several outputs, named by the first.
pub fn node_of_several(
    operator: &str,
    inputs: &[&str],
    outputs: &[&str],
    attributes: &[Message],
) -> Message {
    let head = inputs.iter().fold(Message::default(), |m, input| m.text(1, input));
    let head = outputs.iter().fold(head, |m, output| m.text(2, output));
    let head = head.text(3, &format!("/{}", outputs[0])).text(4, operator);
    attributes.iter().fold(head, |m, attribute| m.message(5, attribute))
}

/// Returns a value with its axes; 0 means an axis with a name.
pub fn value(name: &str, axes: &[i64]) -> Message {
    let shape = axes.iter().fold(Message::default(), |m, axis| {
        let axis = match axis {
            0 => Message::default().text(2, "batch"),
            size => Message::default().int(1, *size),
        };
        m.message(1, &axis)
    });
    let tensor = Message::default().int(1, 1).message(2, &shape);
    Message::default().text(1, name).message(2, &Message::default().message(1, &tensor))
}

pub fn floats(name: &str, values: &[f32]) -> Message {
    let head = Message::default().text(1, name);
    values.iter().fold(head, |m, value| m.float(7, *value)).int(20, 6)
}

/// Returns a list of texts.
pub fn text_tensor(name: &str, values: &[&str]) -> Message {
    let head = Message::default().int(1, values.len() as i64).int(2, 8).text(8, name);
    values.iter().fold(head, |m, value| m.text(6, value))
}

/// Returns a model of float values from `x`, of these axes, to `y`.
pub fn model(axes: &[i64], nodes: &[Message], initializers: &[Message]) -> Vec<u8> {
    model_to(&["y"], 20, axes, nodes, initializers)
}

/// Returns a model from `x` to these outputs, in this version of ONNX's operators.
pub fn model_to(
    outputs: &[&str],
    version: i64,
    axes: &[i64],
    nodes: &[Message],
    initializers: &[Message],
) -> Vec<u8> {
    let graph = nodes.iter().fold(Message::default(), |m, node| m.message(1, node)).text(2, "net");
    let graph = initializers.iter().fold(graph, |m, tensor| m.message(5, tensor));
    let graph = graph.message(11, &value("x", axes));
    let graph = outputs.iter().fold(graph, |m, output| m.message(12, &value(output, &[0, 1])));
    let opset = Message::default().text(1, "").int(2, version);
    Message::default().int(1, 10).text(2, "tests").message(8, &opset).message(7, &graph).done()
}
