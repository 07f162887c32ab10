import { createHttpAgent, probeBridge } from '../../../banks/index.ts';
import { settings } from '../../../platform/configuration/settings.ts';
import type { DoctorDeps } from '../deps.ts';
import { ok, problem, type Check, type Finding } from '../finding.ts';

type BankProbe = Awaited<ReturnType<typeof probeBridge>>;
type Environment = 'sandbox' | 'live';

export interface BankProbes {
  /** Null where that bank is not configured. Asked once, by whichever check comes first. */
  probe(environment: Environment, signal: AbortSignal): Promise<BankProbe | null>;
}

const addresses = {
  sandbox: { url: settings.sandboxBankUrl, apiKey: settings.sandboxBankApiKey },
  live: { url: settings.liveBankUrl, apiKey: settings.liveBankApiKey },
};

export function createBankProbes({ given }: DoctorDeps): BankProbes {
  const probes = new Map<Environment, Promise<BankProbe | null>>();
  const ask = async (environment: Environment, signal: AbortSignal): Promise<BankProbe | null> => {
    const [url, apiKey] = [given.find(addresses[environment].url), given.find(addresses[environment].apiKey)];
    if (url === null || apiKey === null) return null;
    const agent = createHttpAgent();
    try {
      return await probeBridge(agent, { url, apiKey }, signal);
    } finally {
      await agent.destroy();
    }
  };
  return {
    async probe(environment, signal) {
      const probing = probes.get(environment) ?? ask(environment, signal);
      probes.set(environment, probing);
      return probing;
    },
  };
}

function judge(environment: Environment, probed: BankProbe | null): Finding {
  const { url, apiKey } = addresses[environment];
  switch (probed?.kind) {
    case undefined:
      return ok(`The ${environment} bank is not set here (${url.variable}).`);
    case 'accepted':
      return ok(`The ${environment} bank answers and accepts our key.`);
    case 'key_refused':
      return problem(`The ${environment} bank refuses our key. Check ${apiKey.variable} in the bank's dashboard.`);
    case 'unexpected':
      return problem(
        `The ${environment} bank answers ${probed.status} to a simple read. Check ${url.variable} and the bank's status page.`,
      );
    case 'unreachable':
      return problem(
        `The ${environment} bank cannot be reached (${probed.reason}). Check ${url.variable}, the network and the bank's status page.`,
      );
  }
}

export function checkBanks(probes: BankProbes): Check {
  return {
    name: 'bank',
    run: async (signal) => [
      judge('sandbox', await probes.probe('sandbox', signal)),
      judge('live', await probes.probe('live', signal)),
    ],
  };
}
