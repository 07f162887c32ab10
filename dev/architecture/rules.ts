// Who may import whom. ARCHITECTURE.md draws the same; the test beside this file enforces it.
import type { ICruiseOptions, IForbiddenRuleType } from 'dependency-cruiser';

/** Each module of the service, and what it may import besides itself. */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  money: [],
  platform: [],
  ledger: ['money', 'platform'],
  archive: ['platform'],
  banks: ['money', 'platform'],
  activity: ['money', 'platform'],
  partners: ['money', 'platform', 'ledger', 'banks', 'activity'],
  access: ['money', 'platform', 'ledger', 'banks', 'activity'],
  payouts: ['money', 'platform', 'ledger', 'archive', 'banks', 'partners', 'activity'],
  billing: ['money', 'platform', 'ledger', 'archive', 'banks', 'partners', 'payouts'],
  funding: ['money', 'platform', 'ledger', 'banks', 'partners', 'payouts'],
  reconciliation: ['money', 'platform', 'ledger', 'banks', 'partners', 'funding'],
  events: ['platform'],
  webhooks: ['platform', 'events'],
  status: ['platform'],
  cells: ['platform', 'access'],
  http: ['platform'],
};

/** These are tool boxes: any file of theirs may be imported. Every other module is entered by its face alone. */
const open = ['money', 'platform', 'http', 'app'];
const test = '\\.test\\.ts$|^service/test/';

const moduleRules = Object.entries(mayImport).map(([name, others]): IForbiddenRuleType => ({
  name: `${name}-imports-only-what-it-may`,
  severity: 'error',
  from: { path: `^service/src/${name}/`, pathNot: test },
  to: { path: `^service/src/(?!(${[name, ...others].join('|')})/)`, pathNot: '^service/src/http/' },
}));

/** Where a module meets the outside: its routes and what they take and give, or its jobs. */
const edge = '/routes/|/(routes|jobs)\\.ts$';

export const forbidden: IForbiddenRuleType[] = [
  ...moduleRules,
  {
    name: 'only-the-edges-know-http',
    severity: 'error',
    from: { path: '^service/src/', pathNot: [test, '^service/src/(http|app)/', edge] },
    to: { path: '^service/src/http/' },
  },
  {
    name: 'a-module-is-entered-by-its-face',
    severity: 'error',
    from: { path: '^service/src/([^/]+)/', pathNot: test },
    to: {
      path: '^service/src/[^/]+/',
      pathNot: ['^service/src/$1/', `^service/src/(${open.join('|')})/`, '/index\\.ts$', edge],
    },
  },
  {
    name: 'only-app-knows-the-edges-of-a-module',
    severity: 'error',
    from: { path: '^service/src/([^/]+)/', pathNot: ['^service/src/app/', test] },
    to: { path: `^service/src/[^/]+(${edge})`, pathNot: ['^service/src/$1/', '^service/src/platform/'] },
  },
  {
    name: 'only-the-edges-know-fastify',
    severity: 'error',
    from: { path: '^service/src/', pathNot: [test, '^service/src/(http|app)/', edge] },
    to: { path: 'node_modules/(fastify|@fastify)/' },
  },
  {
    name: 'only-stores-know-the-driver',
    severity: 'error',
    from: { path: '^service/src/', pathNot: [test, '^service/src/platform/', '[-/]store\\.ts$'] },
    to: { path: 'node_modules/(pg|pg-boss)/' },
  },
  {
    name: 'the-service-does-not-need-development-tools',
    severity: 'error',
    from: { path: '^service/src/', pathNot: test },
    to: { path: '^dev/|^service/(test|bench)/' },
  },
  {
    name: 'development-tools-start-the-service-but-never-import-it',
    severity: 'error',
    from: { path: '^dev/' },
    to: { path: '^service/' },
  },
  {
    name: 'the-sandbox-bank-is-a-program-of-its-own',
    severity: 'error',
    from: { path: '^sandbox-bank/' },
    to: { path: '^service/' },
  },
  {
    name: 'the-sandbox-bank-does-not-need-development-tools',
    severity: 'error',
    from: { path: '^sandbox-bank/src/', pathNot: test },
    to: { path: '^dev/|^sandbox-bank/test/' },
  },
  {
    name: 'the-sandbox-bank-is-reached-over-the-wire',
    severity: 'error',
    // Tests of the service may start one, by the harness that it brings.
    from: { path: '^(service/src|dev)/', pathNot: test },
    to: { path: '^sandbox-bank/' },
  },
  {
    name: 'the-sdk-stands-alone',
    severity: 'error',
    from: { path: '^sdk/src/', pathNot: [test, '^sdk/src/cli/'] },
    // What it imports, a partner would have to install. The command's libraries are built into it.
    to: { pathNot: '^sdk/src/(?!cli/)' },
  },
  {
    name: 'the-sdk-meets-the-service-over-the-wire',
    severity: 'error',
    from: { path: '^sdk/' },
    to: { path: '^(service|sandbox-bank)/' },
  },
  {
    name: 'only-tests-of-ours-use-the-sdk',
    severity: 'error',
    from: { path: '^(service|sandbox-bank|dev)/', pathNot: test },
    to: { path: '^sdk/' },
  },
  {
    name: 'the-dashboard-meets-the-service-over-the-wire',
    severity: 'error',
    from: { path: '^dashboard/' },
    to: { path: '^(service|sandbox-bank)/' },
  },
  {
    name: 'the-dashboard-needs-the-sdk-and-no-development-tools',
    severity: 'error',
    // It runs in a browser: Node and what starts processes have no place there.
    from: { path: '^dashboard/src/', pathNot: test },
    to: { path: '^dev/|^dashboard/e2e/', pathNot: '^dashboard/src/' },
  },
  {
    name: 'the-dashboard-runs-without-node',
    severity: 'error',
    from: { path: '^dashboard/src/', pathNot: test },
    to: { dependencyTypes: ['core'] },
  },
  {
    name: 'the-sdk-is-entered-by-its-face',
    severity: 'error',
    from: { path: '^dashboard/' },
    to: { path: '^sdk/', pathNot: '^sdk/src/(index|testing)\\.ts$' },
  },
  {
    name: 'a-screen-knows-no-other-screen',
    severity: 'error',
    // The list of payouts, and where a top-up is sent, are also parts of the overview.
    from: { path: '^dashboard/src/screens/([^/]+)/' },
    to: {
      path: '^dashboard/src/screens/[^/]+/',
      pathNot: ['^dashboard/src/screens/$1/', '/payouts/payout-table\\.tsx$', '/deposits/where-to-send\\.tsx$'],
    },
  },
  {
    name: 'the-parts-of-a-page-know-no-page',
    severity: 'error',
    from: { path: '^dashboard/src/(ui|data|format)/' },
    to: { path: '^dashboard/src/(screens|shell)/' },
  },
  {
    name: 'nobody-needs-the-dashboard',
    severity: 'error',
    from: { path: '^(service|sandbox-bank|dev|sdk)/' },
    to: { path: '^dashboard/' },
  },
  {
    name: 'the-api-knows-no-job',
    severity: 'error',
    // It only enqueues them: what a worker does is neither loaded nor wired in the api.
    from: { path: '^service/src/app/(api|serve-api|compose-api)\\.ts$' },
    to: {
      path: '^service/src/(app/compose-worker|app/wiring/queues|[^/]+/jobs|platform/.*/(jobs|housekeeping))\\.ts$',
      pathNot: '/platform/jobs/jobs\\.ts$',
      reachable: true,
    },
  },
  { name: 'no-circles', severity: 'error', from: {}, to: { circular: true } },
  { name: 'everything-is-found', severity: 'error', from: {}, to: { couldNotResolve: true } },
];

export const options: ICruiseOptions = {
  doNotFollow: { path: 'node_modules' },
  // Without a parser that knows this TypeScript, nothing is read and everything passes.
  parser: 'swc',
  tsPreCompilationDeps: true,
  enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default', 'types'] },
};

/** For the test that every folder of the service has its rule. */
export const modules = [...Object.keys(mayImport), 'app'];
