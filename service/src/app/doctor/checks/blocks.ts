import { listPaymentBlocks } from '../../../payouts/index.ts';
import { read, type DoctorDeps } from '../deps.ts';
import { ok, problem, warning, type Check, type Finding } from '../finding.ts';

const mostBlocks = 200;

export function checkBlocks(deps: DoctorDeps): Check {
  return {
    name: 'payment blocks',
    async run() {
      const blocks = await read(deps, async (tx) => listPaymentBlocks(tx, { partnerId: null, atMost: mostBlocks }));
      const rails = blocks.filter(({ rail }) => rail !== null);
      const partners = blocks.length - rails.length;
      const findings: Finding[] = [
        ...rails.map(({ rail, cause }) =>
          problem(`Payments on the rail ${rail ?? ''} are stopped (${cause}). Follow the runbook “Payments blocked”.`),
        ),
        ...(partners === 0 ? [] : [warning(`Blocks that stop partners: ${partners}. Check kelpie-admin rails list.`)]),
      ];
      return findings.length === 0 ? [ok('Nothing stops payments.')] : findings;
    },
  };
}
