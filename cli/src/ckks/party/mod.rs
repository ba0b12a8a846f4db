// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `halimede ckks party …`: several holders of one secret key, who exchange files.

mod answers;
mod finish;
mod keys;
mod message_file;
mod refresh;
mod reshare;
mod session;
mod shares;
mod state;

use crate::arguments::PartyCommand;
use crate::error::CommandError;

/// Runs one of the commands.
pub fn run(command: &PartyCommand, json: bool) -> Result<(), CommandError> {
    match command {
        PartyCommand::Session(options) => session::create(options, json),
        PartyCommand::Join(options) => session::join(options, json),
        PartyCommand::Keys(options) => keys::make(options, json),
        PartyCommand::Reply(options) => keys::reply(options, json),
        PartyCommand::Collect(options) => keys::collect(options, json),
        PartyCommand::Share(options) => shares::make(options, json),
        PartyCommand::Receive(options) => shares::receive(options, json),
        PartyCommand::Decrypt(options) => answers::decrypt(options, json),
        PartyCommand::Finish(options) => finish::decryption(options, json),
        PartyCommand::Switch(options) => answers::switch(options, json),
        PartyCommand::FinishSwitch(options) => finish::switch(options, json),
        PartyCommand::Refresh(options) => refresh::share(options, json),
        PartyCommand::FinishRefresh(options) => refresh::finish(options, json),
        PartyCommand::Reshare(options) => reshare::session(options, json),
        PartyCommand::HandOver(options) => reshare::hand_over(options, json),
        PartyCommand::Retire(options) => reshare::retire(options, json),
    }
}
