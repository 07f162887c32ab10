import type { Member } from '@kelpie/sdk';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useKelpie } from '../../data/environment.ts';
import { useSession } from '../../data/session.ts';
import { sessionKey } from '../../data/session-key.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { Problem } from '../../ui/problem.tsx';
import { RoleChoice } from './role-choice.tsx';

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
  const changing = useMutation({
    mutationFn: async (change: 'role' | 'remove') => {
      if (change === 'role') await kelpie.members.update(member.email, { role });
      else await kelpie.members.remove(member.email);
    },
    onSuccess: () => setOpen(false),
    onSettled: async () => {
      await client.invalidateQueries({ queryKey: ['members'] });
      // Changing one's own role changes what the dashboard shows.
      if (member.email === own) await client.invalidateQueries({ queryKey: sessionKey });
    },
  });
  const who = member.name ?? member.email;
  return (
    <>
      <Button kind="quiet" className="-mr-2" onClick={() => setOpen(true)} aria-label={`Edit ${who}`}>
        Edit
      </Button>
      <Dialog title={isRemoving ? `Remove ${who}?` : who} isOpen={isOpen} onClose={close}>
        {isRemoving ? (
          <p>They lose access to this account at once. An admin can invite them again.</p>
        ) : (
          <RoleChoice role={role} onChange={setRole} />
        )}
        {changing.error !== null && <Problem error={changing.error} title="The member was not changed." />}
        {isRemoving ? (
          <DialogActions>
            <Button onClick={close}>Keep member</Button>
            <Button kind="danger" isWorking={changing.isPending} onClick={() => changing.mutate('remove')}>
              Remove member
            </Button>
          </DialogActions>
        ) : (
          <DialogActions>
            <Button kind="danger" className="mr-auto" onClick={() => setRemoving(true)}>
              Remove from team
            </Button>
            <Button onClick={close}>Cancel</Button>
            <Button
              kind="primary"
              disabled={role === member.role}
              isWorking={changing.isPending}
              onClick={() => changing.mutate('role')}
            >
              Save role
            </Button>
          </DialogActions>
        )}
      </Dialog>
    </>
  );
}
