import type { TestDatabase } from '../harness/database.ts';

interface SimulationInput {
  database: TestDatabase;
  seconds: number;
  /** How many seeds one after the other, from the first on: for what takes a plan and not a time. */
  seeds: number;
  /** The same seed makes the same plan. */
  seed: number;
  /** For the person who watches. */
  say: (text: string) => void;
}

interface SimulationResult {
  /** Sentences, each naming one thing that must never be. */
  violations: string[];
  figures: Readonly<Record<string, number | string>>;
}

export type Simulation = (input: SimulationInput) => Promise<SimulationResult>;
