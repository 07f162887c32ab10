import type { InviteMemberRequest, Member } from '@kelpie/sdk';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useConfirmed } from '../../data/confirmed.ts';
import { useKelpie } from '../../data/environment.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmAct } from '../../ui/confirm-code.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { Problem } from '../../ui/problem.tsx';
import { RoleChoice, roleNames } from './role-choice.tsx';

interface InviteMemberProps {
  isOpen: boolean;
  onClose: () => void;
}

export function InviteMember({ isOpen, onClose }: InviteMemberProps) {
  const kelpie = useKelpie();
  const client = useQueryClient();
  const [email, setEmail] = useState('');
  const [name, setName] = useState('');
  const [role, setRole] = useState<Member['role']>('viewer');
  const close = (): void => {
    setEmail('');
    setName('');
    setRole('viewer');
    inviting.reset();
    onClose();
  };
  const inviting = useConfirmed({
    act: async (request: InviteMemberRequest, options) => kelpie.members.invite(request, options),
    onSuccess: close,
    onSettled: async () => client.invalidateQueries({ queryKey: ['members'] }),
  });
  const problem = inviting.error !== null && <Problem error={inviting.error} title="The invitation was not sent." />;
  const named = name.trim() === '' ? {} : { name: name.trim() };
  const invitation: InviteMemberRequest = { email: email.trim(), role, ...named };
  if (inviting.isCodeWanted) {
    return (
      <Dialog title="Invite member" isOpen={isOpen} onClose={close} isSticky>
        <ConfirmAct
          confirming={inviting}
          what={
            <>
              that you invite {invitation.email} as {roleNames[role]}
            </>
          }
          action="Send invitation"
          onCancel={close}
          problem={problem}
        />
      </Dialog>
    );
  }
  return (
    <Dialog title="Invite member" isOpen={isOpen} onClose={close}>
      <form
        className="grid gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          inviting.run(invitation);
        }}
      >
        <Field
          label="Work email"
          name="email"
          type="email"
          isRequired
          autoFocus
          autoComplete="off"
          value={email}
          onChange={setEmail}
        />
        <Field label="Name" name="name" maxLength={120} autoComplete="off" value={name} onChange={setName} />
        <RoleChoice role={role} onChange={setRole} />
        {problem}
        <DialogActions>
          <Button onClick={close}>Cancel</Button>
          <Button kind="primary" type="submit" isWorking={inviting.isPending} disabled={!email.includes('@')}>
            Send invitation
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
