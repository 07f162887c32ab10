import type { FastifyRequest } from 'fastify';
import type { Origin } from '../../platform/origin.ts';
import { sharedNetworkOf } from '../limits/caller-network.ts';
import { browserFamily } from './browser-family.ts';

export function originOf({ ip, headers }: Pick<FastifyRequest, 'ip' | 'headers'>): Origin {
  return { network: sharedNetworkOf(ip), browser: browserFamily(headers['user-agent']) };
}
