//! What patterns ask of a command that the command itself does not say.

use super::guard::Guard;
use super::question::Question;
use super::unknown::{is_local, verb};
use crate::rules::context_key::{Around, is_outside, path_in, work_folder};
use callosum_shell::command::{Circumstances, Command, Detail, Server, is_stage_here, server, stage};

/// Programs with an option or an argument that names the machine they act on.
const OWN_HOST: &[&str] = &[
    "systemctl",
    "systemd-run",
    "loginctl",
    "hostnamectl",
    "timedatectl",
    "nixos-rebuild",
    "colmena",
    "salt",
];
/// Programs that copy files to other machines.
const COPIERS: &[&str] = &["rsync", "scp", "pscp", "sftp", "lftp", "ncftpput", "curl"];

/// A command of a call, as its patterns ask about it.
pub(super) struct Asked<'a, 'q, 'c, 'g, 'p> {
    pub(super) question: &'a Question<'q>,
    pub(super) command: &'a Command<'c>,
    pub(super) guard: &'a Guard<'g, 'p>,
}

impl Circumstances for Asked<'_, '_, '_, '_, '_> {
    fn is_outside(&self, path: &str) -> bool {
        let Question { call, params, .. } = self.question;
        let went_to = self.command.whole().folder();
        let whole = path_in(&work_folder(call, params, went_to.as_deref()), path);
        is_outside(&work_folder(call, params, None), &whole)
    }

    fn is_guarded(&self, path: &str) -> bool {
        self.guard.is_meant(self.command, path)
    }

    fn lists_guarded(&self) -> bool {
        self.guard.is_listed(self.command)
    }

    fn is_elsewhere(&self) -> bool {
        let whole = self.command.whole();
        let site = self.question.site(Some(&whole));
        if self.command.invocation.host.is_some() {
            return true;
        }
        let variable = |name: &str| site.variable(name);
        match server(self.command, &variable) {
            Server::Elsewhere { .. } => true,
            Server::Untold => !stage(self.command, &variable).is_some_and(|stage| is_stage_here(&stage)),
            // Where the environment may not be read it may say another one: who may read it asks again.
            Server::Here { said } => !said && self.question.outlook.asked_in_vain(),
        }
    }

    fn is_away(&self) -> bool {
        let whole = self.command.whole();
        let site = self.question.site(Some(&whole));
        if self.command.is_of_containers() {
            return !Around::DockerHost.values(site).is_empty();
        }
        let program = self.command.invocation.program.as_str();
        self.command.invocation.host.is_some()
            || OWN_HOST.contains(&program) && !site.detail(&Detail::SshHost).is_empty()
            || COPIERS.contains(&program) && !site.detail(&Detail::FilesWritten).is_empty()
    }

    fn is_unknown(&self) -> bool {
        let program = &self.command.invocation.program;
        !is_local(program)
            && !self.question.is_known(program)
            // What is typed into a terminal comes in pieces.
            && !self.question.is_typed
            && !self.question.defines(program)
    }

    fn verb(&self, words: &[&str]) -> Option<usize> {
        verb(words)
    }
}
