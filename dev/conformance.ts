// npm run conformance: holds the whole of Kelpie, on a bank and a database of its own, to the specification from outside.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { textAt, valueAt } from './json.ts';
import { onOwnStack } from './own-stack.ts';
import { projectFolder } from './project.ts';

const { values: options } = parseArgs({
  options: {
    /** The checks, as a program that is told by its environment where the API is. */
    script: { type: 'string', default: path.join(projectFolder, '..', 'shared', 'conformance.mjs') },
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

if (!existsSync(options.script)) {
  console.log(`There is no ${path.relative(projectFolder, options.script)}, so nothing was checked.`);
} else {
  // Below the ports that the system gives to outgoing connections, and not those of `npm run dev` or of its test.
  await onOwnStack({ cluster: 'conformance', firstPort: 27_000 }, async ({ found, run }) => {
    const code = await run(process.execPath, [options.script], {
      timeout: checkedWithinMs,
      env: {
        ...process.env,
        KELPIE_URL: textAt(found, 'url'),
        KELPIE_KEY: textAt(found, 'key'),
        KELPIE_KEY_B: textAt(found, 'keyB'),
        KELPIE_SLUG: textAt(found, 'slug'),
      },
    });
    const isRight = await isAtBank(found);
    return code === 0 && !isRight ? 1 : code;
  });
}
