/**
 * The arrows of the map in ARCHITECTURE.md. Data flows one way:
 *
 *   main ─▶ api ─────────────────▶ capabilities ─▶ platform
 *   main ─▶ gateway, activities ─▶ capabilities, code-hosts ─▶ platform
 *   main ─▶ runner ─▶ runner-wire        workflows ┄types┄▶ activities        web, cli ─▶ sdk
 */
const capabilities = ['jobs', 'keys', 'projects', 'audit', 'analytics', 'models', 'people', 'github']
const room = (...names) => `^server/src/(${names.join('|')})/`
const test = '\\.test\\.tsx?$|/testing/'

/** `from` may import only these rooms of the server (and packages). */
const only = (from, allowed, comment) => ({
  name: `${from}-imports-only`,
  comment,
  severity: 'error',
  from: { path: room(from), pathNot: test },
  to: {
    path: '^server/src/',
    pathNot: [room(from), ...allowed.map((name) => (name.endsWith('.ts') ? `^server/src/${name}$` : room(name)))],
  },
})

/** @type {Required<Pick<import('dependency-cruiser').IConfiguration, 'forbidden' | 'options'>>} */
const configuration = {
  forbidden: [
    { name: 'no-circles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'only-main-puts-parts-together',
      severity: 'error',
      from: { path: '^server/src/', pathNot: [room('main'), test] },
      to: { path: room('main') },
    },
    only('platform', [], 'The platform knows nothing of docs.'),
    only('api', [...capabilities, 'platform'], 'A route reaches SQL in two hops: capability, database.'),
    only('gateway', [...capabilities, 'code-hosts', 'runner-wire', 'platform'], 'Served by worker.'),
    only('activities', [...capabilities, 'code-hosts', 'runner-wire', 'platform'], 'Thin: they call the capabilities.'),
    only('code-hosts', ['platform'], 'Code hosts know nothing of jobs.'),
    only('runner-wire', ['platform/ids.ts'], 'Types that cross the wire.'),
    only(
      'runner',
      ['runner-wire', 'platform/log.ts', 'platform/ids.ts'],
      'The runner is trusted with nothing, so it can reach nothing.',
    ),
    {
      name: 'capabilities-do-not-import-each-other',
      comment: 'Except types; routes and activities put them together.',
      severity: 'error',
      from: { path: `^server/src/(${capabilities.join('|')})/`, pathNot: test },
      to: {
        path: `^server/src/(${capabilities.join('|')}|api|gateway|activities|workflows|code-hosts|runner|runner-wire)/`,
        pathNot: '^server/src/$1/',
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'workflows-are-deterministic',
      comment: 'No I/O, no clock: activities as types, and nothing of Node.',
      severity: 'error',
      from: { path: room('workflows'), pathNot: test },
      to: {
        pathNot: [room('workflows'), 'node_modules/@temporalio/workflow/', 'node_modules/@temporalio/common/'],
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'clients-go-through-sdk',
      comment: 'Dashboard and command line use the API as everybody else does.',
      severity: 'error',
      from: { path: '^(web|cli)/', pathNot: test },
      to: { path: '^(server|dev-services|proofs)/|^sdk/src/(?!index[.]ts$)' },
    },
    {
      name: 'sdk-stands-alone',
      severity: 'error',
      from: { path: '^sdk/src/', pathNot: test },
      to: { pathNot: '^sdk/' },
    },
    {
      name: 'product-does-not-know-its-tools',
      severity: 'error',
      from: { path: '^(server|web|sdk|cli)/', pathNot: test },
      to: { path: '^(dev-services|proofs|checks)/' },
    },
    {
      name: 'no-catch-all-folders',
      comment: 'A line whose room is not known means that the map is wrong, or the line.',
      severity: 'error',
      from: {},
      to: { path: '(^|/)(utils?|common|helpers?|misc|v[0-9]+)/', pathNot: 'node_modules' },
    },
    {
      name: 'packages-are-declared',
      severity: 'error',
      from: { pathNot: test },
      to: { dependencyTypes: ['npm-no-pkg', 'unknown', 'undetermined'], pathNot: ['^chdb$', '^sdk/src/index[.]ts$'] },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(^|/)dist/' },
    tsPreCompilationDeps: true, // types are arrows too, except where a rule says otherwise
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      conditionNames: ['colophon-source', 'import', 'node', 'types', 'default'],
      exportsFields: ['exports'],
    },
  },
}

export default configuration
