import type { Member } from '@kelpie/sdk';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useConfirmed } from '../../data/confirmed.ts';
import { useKelpie } from '../../data/environment.ts';
import { useSession } from '../../data/session.ts';
import { sessionKey } from '../../data/session-key.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmAct } from '../../ui/confirm-code.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { Problem } from '../../ui/problem.tsx';
import { RoleChoice, roleNames } from './role-choice.tsx';

/** Changes a member's role, or removes the member. */
export function ChangeMember({ member }: { member: Member }) {
  const kelpie = useKelpie();
  const client = useQueryClient();
  const { email: own } = useSession();
  const [isOpen, setOpen] = useState(false);
  const [role, setRole] = useState(member.role);
  const [isRemoving, setRemoving] = useState(false);
  const close = (): void => {
    setOpen(false);
    setRole(member.role);
    setRemoving(false);
    changing.reset();
  };
  const changing = useConfirmed({
    act: async (change: { role: Member['role'] } | 'remove', options): Promise<void> => {
      if (change === 'remove') await kelpie.members.remove(member.email, options);
      else await kelpie.members.update(member.email, change, options);
    },
    onSuccess: () => setOpen(false),
    onSettled: async () => {
      await client.invalidateQueries({ queryKey: ['members'] });
      // Changing one's own role changes what the dashboard shows.
      if (member.email === own) await client.invalidateQueries({ queryKey: sessionKey });
    },
  });
  const problem = changing.error !== null && <Problem error={changing.error} title="The member was not changed." />;
  const who = member.name ?? member.email;
  return (
    <>
      <Button kind="quiet" className="-mr-2" onClick={() => setOpen(true)} aria-label={`Edit ${who}`}>
        Edit
      </Button>
      <Dialog
        title={isRemoving ? `Remove ${who}?` : who}
        isOpen={isOpen}
        onClose={close}
        isSticky={changing.isCodeWanted}
      >
        {changing.isCodeWanted ? (
          <ConfirmAct
            confirming={changing}
            what={isRemoving ? `that ${who} is removed` : `that ${who} becomes ${roleNames[role]}`}
            action={isRemoving ? 'Remove member' : 'Save role'}
            onCancel={close}
            problem={problem}
          />
        ) : isRemoving ? (
          <>
            <p>They lose access to this account at once. An admin can invite them again.</p>
            {problem}
            <DialogActions>
              <Button onClick={close}>Keep member</Button>
              <Button kind="danger" isWorking={changing.isPending} onClick={() => changing.run('remove')}>
                Remove member
              </Button>
            </DialogActions>
          </>
        ) : (
          <>
            <RoleChoice role={role} onChange={setRole} />
            {problem}
            <RoleActions
              isChanged={role !== member.role}
              isSaving={changing.isPending}
              onRemove={() => setRemoving(true)}
              onCancel={close}
              onSave={() => changing.run({ role })}
            />
          </>
        )}
      </Dialog>
    </>
  );
}

interface RoleActionsProps {
  isChanged: boolean;
  isSaving: boolean;
  onRemove: () => void;
  onCancel: () => void;
  onSave: () => void;
}

function RoleActions({ isChanged, isSaving, onRemove, onCancel, onSave }: RoleActionsProps) {
  return (
    <DialogActions>
      <Button kind="danger" className="mr-auto" onClick={onRemove}>
        Remove from team
      </Button>
      <Button onClick={onCancel}>Cancel</Button>
      <Button kind="primary" disabled={!isChanged} isWorking={isSaving} onClick={onSave}>
        Save role
      </Button>
    </DialogActions>
  );
}
