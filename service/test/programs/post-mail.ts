// Posts one mail, to the address that it is told, and is killed the moment that its transaction has committed.
import { openPostOffice } from '../platform/mail/post-office.ts';

const [, , serviceUrl = '', to = ''] = process.argv;
const office = await openPostOffice({ serviceUrl }, () => undefined);
await office.post({ to });
process.kill(process.pid, 'SIGKILL');
