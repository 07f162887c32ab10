// The banks behind the rails, as the settings name them.
import { createPublicKey, type KeyObject } from 'node:crypto';
import {
  type Bank,
  type BankCustomers,
  type BankFunding,
  type BankRecords,
  type BankVerification,
  type BankWallet,
  type BankWalletTransfers,
  type SandboxControls,
  answerAsAsked,
  createBankMetrics,
  createBridgeBank,
  createHttpAgent,
  createSandboxControls,
  createSimulatedBank,
  withFailpoints,
} from '../../banks/index.ts';
import type { Banks } from '../../payouts/index.ts';
import type { Clock } from '../../platform/clock.ts';
import type { SingleCalls } from '../../platform/database/single-call.ts';
import type { Failpoint } from '../../platform/failpoint.ts';
import type { Logger } from '../../platform/logging.ts';
import type { Meter } from '../../platform/metrics.ts';
import { ConfigurationError } from '../../platform/configuration/configuration.ts';
import { settings, type Setting } from '../../platform/configuration/settings.ts';

interface BankAddress {
  url: string | null;
  apiKey: string | null;
}

export interface BankAddresses {
  sandbox: BankAddress & { controlUrl: string | null };
  live: BankAddress;
}

export function chooseBanks(get: <Value>(setting: Setting<Value>) => Value): BankAddresses {
  return {
    sandbox: {
      url: get(settings.sandboxBankUrl),
      apiKey: get(settings.sandboxBankApiKey),
      controlUrl: get(settings.sandboxBankControlUrl),
    },
    live: { url: get(settings.liveBankUrl), apiKey: get(settings.liveBankApiKey) },
  };
}

/** Kelpie's own wallet at the bank of each rail; null where there is none. */
export type Floats = Readonly<Record<'provider_sandbox' | 'provider_production', BankWallet | null>>;

export function chooseFloats(get: <Value>(setting: Setting<Value>) => Value): Floats {
  return { provider_sandbox: get(settings.sandboxBankFloat), provider_production: get(settings.liveBankFloat) };
}

export type WebhookKeys = Readonly<Record<'sandbox' | 'live', KeyObject | null>>;

/** Read once, and not at every webhook. */
function readPublicKey({ variable }: Setting<string | null>, pem: string | null): KeyObject | null {
  try {
    return pem === null ? null : createPublicKey(pem);
  } catch {
    throw new ConfigurationError([`${variable} is not a public key: copy it whole from where the bank shows it.`]);
  }
}

export function openWebhookKeys({ sandbox, live }: Readonly<Record<'sandbox' | 'live', string | null>>): WebhookKeys {
  return {
    sandbox: readPublicKey(settings.sandboxBankWebhookKey, sandbox),
    live: readPublicKey(settings.liveBankWebhookKey, live),
  };
}

/**
 * Wallets are topped up at both. The sandbox bank is also where new partners are made customers, and the bank itself where
 * they are verified.
 */
export type OpenBanks = Banks & {
  provider_sandbox: (Bank & BankRecords & BankCustomers & BankFunding & BankWalletTransfers) | null;
  provider_production: (Bank & BankRecords & BankVerification & BankFunding & BankWalletTransfers) | null;
};

/** What hears that a circuit of the live bank opened or closed, by the purpose of its calls. */
export type OnCircuit = (purpose: string, isOpen: boolean) => void;

interface Watchers {
  logger: Logger;
  meter: Meter;
  onLiveCircuit?: OnCircuit;
}

/** Without `watchers` for commands, which print what the bank answered. */
export function openBanks(
  { sandbox, live }: BankAddresses,
  clock: Clock,
  failpoint: Failpoint,
  watchers?: Watchers,
): OpenBanks {
  const agent = createHttpAgent();
  const watch = watchers === undefined ? undefined : watchBanks(watchers);
  const open = ({ url, apiKey }: BankAddress, environment: keyof BankAddresses) => {
    if (url === null || apiKey === null) return null;
    return withFailpoints(createBridgeBank(agent, { url, apiKey, ...watch?.(environment) }), failpoint, environment);
  };
  return {
    simulated: createSimulatedBank(clock),
    provider_sandbox: open(sandbox, 'sandbox'),
    provider_production: open(live, 'live'),
  };
}

/** The sandbox bank of the service's own processes, which answers a partner's orders as the partner asked. */
export function withAskedAnswers(banks: OpenBanks, calls: SingleCalls): OpenBanks {
  const { provider_sandbox: bank } = banks;
  return bank === null ? banks : { ...banks, provider_sandbox: answerAsAsked(bank, calls) };
}

/** Null where the bank's sandbox is not ours to drive. */
export function openSandboxControls({ sandbox: { controlUrl } }: BankAddresses): SandboxControls | null {
  return controlUrl === null ? null : createSandboxControls(createHttpAgent(), controlUrl);
}

/** Circuits are logged and measured, calls measured. */
function watchBanks({ logger, meter, onLiveCircuit }: Watchers) {
  const measure = createBankMetrics(meter);
  return (environment: keyof BankAddresses) => {
    const { onCircuit, onExchange } = measure(environment);
    return {
      onExchange,
      onCircuit(action: string, isOpen: boolean) {
        logger.warn({ environment, action }, isOpen ? 'bank.circuit_opened' : 'bank.circuit_closed');
        onCircuit(action, isOpen);
        if (environment === 'live') onLiveCircuit?.(action, isOpen);
      },
    };
  };
}
