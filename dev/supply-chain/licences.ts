// npm run licences: every package of the lockfile by its licence. Fails on one that is not on the list.
import { listPackages } from './packages.ts';
import { judgeLicences } from './judge-licences.ts';

const { byLicence, refused } = judgeLicences(listPackages());
for (const [licence, packages] of byLicence) console.log(`${String(packages.length).padStart(4)}  ${licence}`);
for (const line of refused) console.error(line);
process.exitCode = refused.length === 0 ? 0 : 1;
