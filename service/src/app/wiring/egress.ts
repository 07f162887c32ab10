import type { ChooseSettings } from '../../platform/configuration/configuration.ts';
import { settings } from '../../platform/configuration/settings.ts';
import type { EgressOptions } from '../../platform/egress/egress.ts';

/** How requests to partners' addresses leave. */
export const chooseEgress: ChooseSettings<Pick<EgressOptions, 'proxyUrl' | 'allowed'>> = (get) => ({
  proxyUrl: get(settings.egressProxy),
  allowed: get(settings.egressAllow) ?? [],
});
