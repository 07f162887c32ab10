import type { Member } from '@kelpie/sdk';
import { Choice } from '../../ui/choice.tsx';

const options = [
  { value: 'viewer', label: 'Viewer' },
  { value: 'admin', label: 'Admin' },
] as const;

const meanings = {
  viewer: 'Sees everything, and changes nothing.',
  admin: 'Sees everything, pays, and looks after members and API keys.',
};

interface RoleChoiceProps {
  role: Member['role'];
  onChange: (role: Member['role']) => void;
}

export function RoleChoice({ role, onChange }: RoleChoiceProps) {
  return <Choice label="Role" value={role} options={options} onChange={onChange} hint={meanings[role]} />;
}
