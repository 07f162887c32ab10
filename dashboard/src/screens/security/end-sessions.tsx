import type { EndSessionsQuery, SessionEntry } from '@kelpie/sdk';
import { useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { useConfirmed, type Confirming } from '../../data/confirmed.ts';
import { useAccountKelpie } from '../../data/environment.ts';
import { sessionsKey } from '../../data/reads.ts';
import { useIsAdmin, useSession } from '../../data/session.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmAct } from '../../ui/confirm-code.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { Problem } from '../../ui/problem.tsx';

/** Ends one session. Another person's takes a code. */
export function EndSession({ entry }: { entry: SessionEntry }) {
  const kelpie = useAccountKelpie();
  const client = useQueryClient();
  const { email: own } = useSession();
  const [isOpen, setOpen] = useState(false);
  const ending = useConfirmed({
    act: async (id: string, options) => kelpie.auth.endSession(id, options),
    onSuccess: () => setOpen(false),
    onSettled: async () => client.invalidateQueries({ queryKey: sessionsKey }),
  });
  const whose = entry.email === own ? 'your session' : `the session of ${entry.email}`;
  const where = entry.browser === null ? '' : ` in ${entry.browser}`;
  return (
    <>
      <Button
        kind="quiet"
        className="-mr-2"
        onClick={() => setOpen(true)}
        aria-label={`End ${whose}${where}, ${entry.network ?? 'unknown network'}`}
      >
        End
      </Button>
      <EndDialog
        title="End this session?"
        isOpen={isOpen}
        onClose={() => {
          setOpen(false);
          ending.reset();
        }}
        ending={ending}
        what={<>that you end {whose}</>}
        action="End session"
        onEnd={() => ending.run(entry.id)}
      >
        {entry.email === own ? 'You are' : 'They are'} signed out{where} at once, and can sign in again with a code. To
        keep someone out, remove them from the team.
      </EndDialog>
    </>
  );
}

const choices = {
  me: {
    open: 'End my other sessions',
    title: 'End your other sessions?',
    text: 'You are signed out everywhere else, in every account that you are a member of. You stay signed in here.',
    what: 'that you end your other sessions',
  },
  everyone: {
    open: "End everyone's sessions",
    title: "End everyone's sessions?",
    text: 'Everyone else is signed out of this account at once, and so are you on other devices. They can sign in again with a code. API keys keep working.',
    what: 'that you end all other sessions of this account',
  },
} as const;

/** Ends all of one's own sessions but this one, or everyone's. */
export function EndSessions() {
  const kelpie = useAccountKelpie();
  const client = useQueryClient();
  const isAdmin = useIsAdmin();
  const [of, setOf] = useState<keyof typeof choices>();
  const [ended, setEnded] = useState<number>();
  const ending = useConfirmed({
    act: async (which: EndSessionsQuery, options) => kelpie.auth.endSessions(which, options),
    onSuccess: (result) => {
      setOf(undefined);
      setEnded(result.ended);
    },
    onSettled: async () => client.invalidateQueries({ queryKey: sessionsKey }),
  });
  const choice = choices[of ?? 'me'];
  return (
    <div className="-mx-3.5 flex flex-wrap items-center">
      <Button kind="quiet" onClick={() => setOf('me')}>
        {choices.me.open}
      </Button>
      {isAdmin && (
        <Button kind="quiet" onClick={() => setOf('everyone')}>
          {choices.everyone.open}
        </Button>
      )}
      <p role="status" className="px-3.5 text-small text-completed">
        {ended !== undefined && (ended === 1 ? '1 session ended' : `${ended} sessions ended`)}
      </p>
      <EndDialog
        title={choice.title}
        isOpen={of !== undefined}
        onClose={() => {
          setOf(undefined);
          ending.reset();
        }}
        ending={ending}
        what={choice.what}
        action="End sessions"
        onEnd={() => of !== undefined && ending.run({ of })}
      >
        {choice.text}
      </EndDialog>
    </div>
  );
}

interface EndDialogProps {
  title: string;
  isOpen: boolean;
  onClose: () => void;
  ending: Confirming;
  what: ReactNode;
  action: string;
  onEnd: () => void;
  children: ReactNode;
}

function EndDialog({ title, isOpen, onClose, ending, what, action, onEnd, children }: EndDialogProps) {
  const problem = ending.error !== null && (
    <Problem
      error={ending.error}
      title="Nothing was ended."
      unknown="We don't know whether it was ended. Check the list, then try again: that is safe."
    />
  );
  return (
    <Dialog title={title} isOpen={isOpen} onClose={onClose} isSticky={ending.isCodeWanted}>
      {ending.isCodeWanted ? (
        <ConfirmAct confirming={ending} what={what} action={action} onCancel={onClose} problem={problem} />
      ) : (
        <>
          <p className="whitespace-normal">{children}</p>
          {problem}
          <DialogActions>
            <Button onClick={onClose}>Cancel</Button>
            <Button kind="danger" isWorking={ending.isPending} onClick={onEnd}>
              {action}
            </Button>
          </DialogActions>
        </>
      )}
    </Dialog>
  );
}
