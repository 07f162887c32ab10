import type { Member } from '@kelpie/sdk';
import { Choice } from '../../ui/choice.tsx';

/** As it stands in a sentence. */
export const roleNames = { viewer: 'a viewer', admin: 'an admin' };

const options = [
  { value: 'viewer', label: 'Viewer' },
  { value: 'admin', label: 'Admin' },
] as const;

const meanings = {
  viewer: 'Can view everything and change nothing.',
  admin: 'Can view everything, send payouts, and manage members, API keys and settings.',
};

interface RoleChoiceProps {
  role: Member['role'];
  onChange: (role: Member['role']) => void;
}

export function RoleChoice({ role, onChange }: RoleChoiceProps) {
  return <Choice label="Role" value={role} options={options} onChange={onChange} hint={meanings[role]} />;
}
