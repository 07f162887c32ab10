import { oneOf } from '../../http/schema/fields.ts';

export const Role = oneOf(['admin', 'viewer'], { description: '`admin` can change things, `viewer` can only read.' });
