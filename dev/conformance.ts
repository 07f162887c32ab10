// npm run conformance: runs the black-box checks of the specification against a fresh stack.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { textAt, valueAt } from './json.ts';
import { onOwnStack } from './own-stack.ts';
import { projectFolder } from './project.ts';

const shared = path.join(projectFolder, '..', 'shared');

const { values: options } = parseArgs({
  options: {
    /** The checks: programs that find the API by their environment. */
    script: {
      type: 'string',
      multiple: true,
      default: [path.join(shared, 'conformance.mjs'), path.join(shared, 'contract.mjs')],
    },
  },
});

const checkedWithinMs = 300_000;

/** The checks say nothing of the rail: on the simulated one they would not have met the bank. */
async function isAtBank(found: unknown): Promise<boolean> {
  const headers = { authorization: `Bearer ${textAt(found, 'key')}` };
  const response = await fetch(`${textAt(found, 'url')}/v1/account`, { headers });
  const rail = valueAt(await response.json(), 'rail');
  const isRight = rail === 'provider_sandbox';
  console.log(
    isRight
      ? 'ok   the account is on the rail provider_sandbox'
      : `FAIL the account is on the rail provider_sandbox — GET /v1/account: status ${response.status}, rail ${String(rail)}`,
  );
  return isRight;
}

const isThere = Map.groupBy(options.script, (script) => existsSync(script));
for (const script of isThere.get(false) ?? [])
  console.log(`There is no ${path.relative(projectFolder, script)}, so it was not run.`);
const scripts = isThere.get(true) ?? [];

if (scripts.length > 0) {
  // Below the ports that the system gives to outgoing connections, and not those of `npm run dev` or of its test.
  await onOwnStack({ cluster: 'conformance', firstPort: 27_000 }, async ({ found, run }) => {
    const env = {
      ...process.env,
      KELPIE_URL: textAt(found, 'url'),
      KELPIE_KEY: textAt(found, 'key'),
      KELPIE_KEY_B: textAt(found, 'keyB'),
      KELPIE_SLUG: textAt(found, 'slug'),
    };
    // All of them, also after one that failed: each has its own report.
    const codes: number[] = [];
    for (const script of scripts) {
      console.log(`\n${path.basename(script)}`);
      codes.push(await run(process.execPath, [script], { timeout: checkedWithinMs, env }));
    }
    if (!(await isAtBank(found))) codes.push(1);
    return codes.find((code) => code !== 0) ?? 0;
  });
}
