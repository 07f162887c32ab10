#!/usr/bin/env node
import { program } from 'commander';
import manifest from '../../package.json' with { type: 'json' };

await program.name('kelpie').version(manifest.version).parseAsync();
