import measuredFigures from './measured.json' with { type: 'json' };
import type { ArrivalsLine } from './measure-arrivals.ts';
import type { CommitLine } from './measure-commits.ts';
import type { LivesLine } from './measure-lives.ts';
import type { NightlyLine } from './measure-nightly.ts';

type Figures<Line> = Omit<Line, 'name'>;

interface Part<Line> {
  date: string;
  commit: string;
  lines: readonly Figures<Line>[];
}

/** What `npm run scaling -- --measure` kept. */
export interface Measured {
  machine: string;
  postgresql: number;
  commits: Part<CommitLine>;
  arrivals: Part<ArrivalsLine>;
  lives: Part<LivesLine>;
  nightly: Part<NightlyLine>;
}

export const measured: Measured = measuredFigures;
