// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The client's side of networks: encrypts inputs, starts runs, waits for them and decrypts.

use std::io::{BufRead, Read};
use std::ops::ControlFlow;
use std::thread::sleep;
use std::time::{Duration, Instant};

use halimede_ckks::files::expect_end;
use halimede_ckks_nn::compile::Interface;
use halimede_ckks_nn::{Ciphertexts, NetworkClient, NetworkError, Output};
use serde::Deserialize;
use serde_json::Value;

use crate::client::Client;
use crate::error::{ClientError, InferenceError};

const OCTETS: &str = "application/octet-stream";
/// The pause before a client asks again for a run whose service does not answer.
const PAUSE: Duration = Duration::from_millis(200);
/// The largest size of an event in bytes.
const MOST_EVENT_BYTES: u64 = 64 << 10;

/// The state of a run.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
pub struct RunState {
    /// The name of the run.
    pub run: String,
    /// `waiting`, `running`, `done`, `failed` or `cancelled`.
    pub state: String,
    /// The number of steps done.
    pub done: usize,
    /// The number of all steps; 0 before the first step.
    pub steps: usize,
    /// The layer of the last step, if it has a name.
    pub layer: Option<String>,
    /// The reason of a failure.
    pub error: Option<String>,
}

impl RunState {
    /// Returns `true` if the state does not change any more.
    pub fn is_final(&self) -> bool {
        matches!(self.state.as_str(), "done" | "failed" | "cancelled")
    }
}

/// Networks and their runs.
impl Client {
    /// Returns the names of all networks.
    ///
    /// # Errors
    /// [`ClientError`].
    pub fn networks(&self) -> Result<Vec<String>, ClientError> {
        let list = self.send("GET", "/v1/networks", "", &[])?.good()?.json()?;
        let networks = list["networks"].as_array().into_iter().flatten();
        Ok(networks.filter_map(|of| of["network"].as_str().map(str::to_owned)).collect())
    }

    /// Returns the facts of a network: see the table of routes in the README.
    ///
    /// # Errors
    /// [`ClientError`].
    pub fn network(&self, network: &str) -> Result<Value, ClientError> {
        self.send("GET", &format!("/v1/networks/{network}"), "", &[])?.good()?.json()
    }

    /// Returns the interface file of a network, for [`Interface::load`].
    ///
    /// # Errors
    /// [`ClientError`].
    pub fn interface(&self, network: &str) -> Result<Vec<u8>, ClientError> {
        let path = format!("/v1/networks/{network}/interface");
        Ok(self.send("GET", &path, "", &[])?.good()?.body)
    }

    /// Starts a run on the file of an encrypted input, with uploaded keys. The request is not
    /// repeated if its connection fails, since the run may have started.
    ///
    /// # Errors
    /// [`ClientError`].
    pub fn start_run(
        &self,
        network: &str,
        keys: &str,
        input: &[u8],
    ) -> Result<RunState, ClientError> {
        self.start_run_in_place(network, keys, input, 0)
    }

    /// As [`Self::start_run`], for an input that is encrypted [in one
    /// place](Interface::encrypt_in_place) of the network's batch. Places count from 1 here, and 0
    /// is an input that fills the batch. Waiting runs of one client in different places share a
    /// computation, and the output is in its place of the result.
    ///
    /// # Errors
    /// [`ClientError`].
    pub fn start_run_in_place(
        &self,
        network: &str,
        keys: &str,
        input: &[u8],
        place: usize,
    ) -> Result<RunState, ClientError> {
        let path = format!("/v1/networks/{network}/runs?keys={keys}&place={place}");
        state_of(&self.send("POST", &path, OCTETS, input)?.good()?.body)
    }

    /// Starts a run that ends when this call ends: `progress` may break, and the process may die.
    /// Returns the final state.
    ///
    /// # Errors
    /// [`ClientError`]; [`ClientError::Answer`] if `progress` breaks or the server ends.
    pub fn attached_run(
        &self,
        network: &str,
        keys: &str,
        input: &[u8],
        progress: impl FnMut(&RunState) -> ControlFlow<()>,
    ) -> Result<RunState, ClientError> {
        let path = format!("/v1/networks/{network}/runs?keys={keys}&attached=yes");
        let events = self.stream("POST", &path, OCTETS, input)?;
        let last = watch(events, progress)?;
        last.filter(RunState::is_final)
            .ok_or_else(|| ClientError::Answer("the stream of events ended early".into()))
    }

    /// Returns the state of a run.
    ///
    /// # Errors
    /// [`ClientError`].
    pub fn run_state(&self, run: &str) -> Result<RunState, ClientError> {
        state_of(&self.send("GET", &format!("/v1/runs/{run}"), "", &[])?.good()?.body)
    }

    /// Waits for the end of a run, also if the service is restarted meanwhile: it may be absent for
    /// the [time limit](Self::time_limit). `progress` is called with each state that arrives, and
    /// may end the wait; the run continues then. Returns the last state.
    ///
    /// # Errors
    /// [`ClientError`].
    pub fn wait_for_run(
        &self,
        run: &str,
        mut progress: impl FnMut(&RunState) -> ControlFlow<()>,
    ) -> Result<RunState, ClientError> {
        let path = format!("/v1/runs/{run}/events");
        let mut since = Instant::now();
        loop {
            let mut is_ended = false;
            let told = |state: &RunState| {
                since = Instant::now();
                let told = progress(state);
                is_ended = told.is_break();
                told
            };
            let watched = self.stream("GET", &path, "", &[]).and_then(|events| watch(events, told));
            match watched {
                Ok(Some(last)) if last.is_final() || is_ended => return Ok(last),
                Ok(_) => {}
                Err(ClientError::Connection(error)) if since.elapsed() >= self.patience() => {
                    return Err(error.into());
                }
                Err(ClientError::Connection(_)) => {}
                Err(error) => return Err(error),
            }
            sleep(PAUSE);
        }
    }

    /// Returns the encrypted result of a complete run.
    ///
    /// # Errors
    /// [`ClientError`].
    pub fn run_result(&self, run: &str) -> Result<Vec<u8>, ClientError> {
        Ok(self.send("GET", &format!("/v1/runs/{run}/result"), "", &[])?.good()?.body)
    }

    /// Cancels a run if it is not complete, and removes it with its result.
    ///
    /// # Errors
    /// [`ClientError`].
    pub fn remove_run(&self, run: &str) -> Result<(), ClientError> {
        self.send("DELETE", &format!("/v1/runs/{run}"), "", &[])?.good().map(drop)
    }
}

fn state_of(body: &[u8]) -> Result<RunState, ClientError> {
    serde_json::from_slice(body).map_err(|error| ClientError::Answer(error.to_string()))
}

/// Reads events until `progress` breaks, the stream ends or the connection is lost. Returns the
/// last state.
fn watch(
    mut events: impl BufRead,
    mut progress: impl FnMut(&RunState) -> ControlFlow<()>,
) -> Result<Option<RunState>, ClientError> {
    let mut last = None;
    loop {
        let mut line = String::new();
        if events.by_ref().take(MOST_EVENT_BYTES).read_line(&mut line)? == 0 {
            return Ok(last);
        }
        let Some(data) = line.strip_prefix("data: ") else { continue };
        // The data of `ending` is empty.
        let Ok(state) = state_of(data.as_bytes()) else { continue };
        let told = progress(&state);
        let is_over = state.is_final() || told.is_break();
        last = Some(state);
        if is_over {
            return Ok(last);
        }
    }
}

/// A network of a service, with the client's secret key and its evaluation keys at the service.
pub struct RemoteNetwork<'c> {
    client: &'c Client,
    network: String,
    interface: Interface,
    owner: NetworkClient,
    keys: String,
}

impl<'c> RemoteNetwork<'c> {
    /// Makes the evaluation keys of a network for a secret key, and uploads them. The secret key
    /// stays here.
    ///
    /// # Errors
    /// [`InferenceError`].
    pub fn new(
        client: &'c Client,
        network: &str,
        interface: Interface,
        mut owner: NetworkClient,
    ) -> Result<Self, InferenceError> {
        let mut keys = Vec::new();
        owner.evaluation_keys().save(&mut keys)?;
        let keys = client.upload("ckks-keys", &keys)?;
        Ok(Self { client, network: network.to_owned(), interface, owner, keys })
    }

    /// The name of the evaluation keys at the service.
    pub fn keys(&self) -> &str {
        &self.keys
    }

    /// The client with the secret key.
    pub fn owner(&mut self) -> &mut NetworkClient {
        &mut self.owner
    }

    /// Encrypts inputs, runs the network at the service, and decrypts the outputs, in order.
    /// Inputs that fit a batch of the network share a run. An output whose guard fails is an error
    /// of that input only.
    ///
    /// # Errors
    /// [`InferenceError`].
    pub fn infer<I: AsRef<[f64]>>(
        &mut self,
        inputs: &[I],
        mut progress: impl FnMut(&RunState),
    ) -> Result<Vec<Result<Output, NetworkError>>, InferenceError> {
        let mut runs = Vec::new();
        // All runs wait in the queue while the first is computed.
        for some in inputs.chunks(self.interface.batch().max(1)) {
            let mut bytes = Vec::new();
            self.owner.encrypt_all(some)?.save(&mut bytes, self.interface.parameters())?;
            let started = self.client.start_run(&self.network, &self.keys, &bytes)?;
            runs.push((started.run, some.len()));
        }
        let mut outputs = Vec::with_capacity(inputs.len());
        for (run, count) in runs {
            let told = |state: &RunState| {
                progress(state);
                ControlFlow::Continue(())
            };
            let last = self.client.wait_for_run(&run, told)?;
            if last.state != "done" {
                let reason = last.error.unwrap_or(last.state);
                return Err(InferenceError::NoResult { run, reason });
            }
            let result = self.client.run_result(&run)?;
            self.client.remove_run(&run)?;
            let mut rest = &result[..];
            let result = Ciphertexts::load(&mut rest, self.interface.parameters())?;
            expect_end(rest)?;
            outputs.extend(self.owner.decrypt_all(&result)?.into_iter().take(count));
        }
        Ok(outputs)
    }
}
