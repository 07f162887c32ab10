import type { Member } from '@kelpie/sdk';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useKelpie } from '../../data/environment.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { Problem } from '../../ui/problem.tsx';
import { RoleChoice } from './role-choice.tsx';

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
  const inviting = useMutation({
    mutationFn: async () => {
      const named = name.trim() === '' ? {} : { name: name.trim() };
      return kelpie.members.invite({ email: email.trim(), role, ...named });
    },
    onSuccess: close,
    onSettled: async () => client.invalidateQueries({ queryKey: ['members'] }),
  });
  return (
    <Dialog title="Invite member" isOpen={isOpen} onClose={close}>
      <form
        className="grid gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          if (!inviting.isPending) inviting.mutate();
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
        {inviting.error !== null && <Problem error={inviting.error} title="The invitation was not sent." />}
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
