import type { TestDatabase } from '../harness/database.ts';

interface SimulationInput {
  database: TestDatabase;
  seconds: number;
  /** The same seed makes the same plan. */
  seed: number;
  /** How many plans, each of its own seed, one after the other: for simulations that go by plans and not by time. */
  seeds: number;
  /** For the person who watches. */
  say: (text: string) => void;
}

interface SimulationResult {
  /** Sentences, each naming one thing that must never be. */
  violations: string[];
  figures: Readonly<Record<string, number | string>>;
}

export type Simulation = (input: SimulationInput) => Promise<SimulationResult>;
