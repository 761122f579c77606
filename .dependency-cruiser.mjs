/**
 * The dependency rules of ARCHITECTURE.md. Imports go one way:
 *
 *   main ─▶ api ─────────────────▶ capabilities ─▶ database (types), platform
 *   main ─▶ api ─▶ api-reference ─▶ the list of problems in platform
 *   main ─▶ backups ─────────────▶ capabilities ─▶ database (types), platform
 *   main ─▶ gateway, activities ─▶ capabilities, code-hosts ─▶ platform, content-gate ─▶ site-generators
 *   main ─▶ runner ─▶ runner-wire        workflows ┄types┄▶ activities        web, cli, mcp ─▶ sdk
 *   api/mcp ─▶ mcp, sdk
 */
const capabilities = [
  'jobs',
  'keys',
  'projects',
  'audit',
  'analytics',
  'models',
  'people',
  'github',
  'webhooks',
  'offboarding',
  'project-deletion',
]
const serverFolder = (...names) => `^server/src/(${names.join('|')})/`
const test = '\\.test\\.tsx?$|/testing/'
/** What the server and the command share. */
const logReader =
  '^server/src/analytics/(import-logs/(import-in-chunks|log-file|split-lines)|log-formats/(?!.*[.]test).*)[.]ts$'
const githubSimulator = '^testing/simulators/github/'

/** The folder `from` of the server may import only these other folders and files of the server, and packages. */
const importsOnly = (from, allowed, comment) => ({
  name: `${from}-imports-only`,
  comment,
  severity: 'error',
  from: { path: serverFolder(from), pathNot: test },
  to: {
    path: '^server/src/',
    pathNot: [
      serverFolder(from),
      ...allowed.map((name) => (name.endsWith('.ts') ? `^server/src/${name}$` : serverFolder(name))),
    ],
  },
})

/** @type {Required<Pick<import('dependency-cruiser').IConfiguration, 'forbidden' | 'options'>>} */
const configuration = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'only-main-composes',
      severity: 'error',
      from: { path: '^server/src/', pathNot: [serverFolder('main'), test] },
      to: { path: serverFolder('main') },
    },
    importsOnly('platform', [], 'The platform does not depend on the product.'),
    importsOnly(
      'database',
      [...capabilities.map((name) => `${name}/tables.ts`), 'platform/migrations/reconcile-grants.ts'],
      'The type of all tables, and who may use them.',
    ),
    importsOnly(
      'api',
      [...capabilities, 'api-reference', 'site-generators', 'platform'],
      'Routes call capabilities, which have the SQL.',
    ),
    importsOnly('api-reference', ['platform/http/problem.ts'], 'Renders any OpenAPI document, and knows no route.'),
    importsOnly('gateway', [...capabilities, 'code-hosts', 'runner-wire', 'platform'], 'Served by worker.'),
    importsOnly(
      'activities',
      [...capabilities, 'code-hosts', 'content-gate', 'runner-wire', 'database', 'platform'],
      'Thin: they call the capabilities.',
    ),
    importsOnly(
      'backups',
      [...capabilities, 'database', 'platform'],
      'Reads and writes everything, and knows no process.',
    ),
    importsOnly('site-generators', [], 'Reads any repository, and knows nothing of Colophon.'),
    importsOnly(
      'content-gate',
      ['site-generators', 'platform/semaphore.ts'],
      'Runs in a process of its own, and in the sandbox.',
    ),
    importsOnly('code-hosts', ['content-gate', 'site-generators', 'platform'], 'Code hosts do not depend on jobs.'),
    importsOnly('runner-wire', ['platform/ids.ts'], 'Types of the protocol between runner and gateway.'),
    importsOnly(
      'runner',
      ['runner-wire', 'content-gate', 'site-generators', 'platform/metrics', 'platform/log.ts', 'platform/ids.ts'],
      'The runner has no credentials but its token, so it imports no code that needs others.',
    ),
    {
      name: 'capabilities-do-not-import-each-other',
      comment:
        'Except types, and the audit log, which every change is recorded in. Routes and activities combine them.',
      severity: 'error',
      from: { path: `^server/src/(${capabilities.join('|')})/`, pathNot: test },
      to: {
        path: `^server/src/(${capabilities.join('|')}|api|api-reference|gateway|activities|workflows|code-hosts|runner|runner-wire)/`,
        pathNot: ['^server/src/$1/', serverFolder('audit')],
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'workflows-are-deterministic',
      comment: 'No I/O and no clock: only types of activities, and no Node modules.',
      severity: 'error',
      from: { path: serverFolder('workflows'), pathNot: test },
      to: {
        pathNot: [serverFolder('workflows'), 'node_modules/@temporalio/workflow/', 'node_modules/@temporalio/common/'],
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'clients-use-sdk-only',
      comment: 'Dashboard, command line and the tools for AI assistants use the API like every other client.',
      severity: 'error',
      from: { path: '^(web|cli|mcp|integrations/ci/src)/', pathNot: test },
      to: {
        path: '^(server|dev|testing|proofs)/|^sdk/src/(?!index[.]ts$)',
        pathNot: logReader,
      },
    },
    {
      name: 'log-reader-is-independent',
      comment: 'The command reads access logs with the same code as the server, on Node 20 and without its packages.',
      severity: 'error',
      from: { path: logReader },
      to: { path: '^server/', pathNot: logReader, dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'only-api-mcp-uses-clients',
      comment: '/mcp calls the API of its own process. Everything else of the server uses its stores.',
      severity: 'error',
      from: { path: '^server/src/', pathNot: ['^server/src/api/mcp/', test] },
      to: { path: '^(sdk/src|mcp|cli|web/src)/' },
    },
    {
      name: 'sdk-is-independent',
      severity: 'error',
      from: { path: '^sdk/src/', pathNot: test },
      to: { pathNot: '^sdk/' },
    },
    {
      name: 'product-does-not-import-tools',
      severity: 'error',
      from: { path: '^(server|web|sdk|mcp|cli|integrations)/', pathNot: test },
      to: { path: '^(dev|testing|proofs|checks|release)/' },
    },
    {
      name: 'testing-does-not-import-its-users',
      comment:
        'Services and simulators know nothing of Colophon; the harness starts it; proofs and checks use the harness.',
      severity: 'error',
      from: { path: '^testing/' },
      to: { path: '^(dev|proofs|checks|release)/' },
    },
    {
      name: 'services-and-simulators-are-independent',
      severity: 'error',
      from: { path: '^testing/(services|simulators)/', pathNot: test },
      to: { path: '^(server/|testing/harness/)' },
    },
    {
      name: 'github-simulator-is-independent',
      comment: 'It is a package of its own, tests included.',
      severity: 'error',
      from: { path: githubSimulator },
      to: { path: '^(server|web|sdk|mcp|cli|dev|testing|proofs|checks|release)/', pathNot: githubSimulator },
    },
    {
      name: 'github-simulator-by-name',
      comment: 'Others import only what its package.json exports: by the name of the package, not by path.',
      severity: 'error',
      from: { pathNot: githubSimulator },
      to: { path: githubSimulator, dependencyTypesNot: ['aliased-workspace', 'undetermined'] },
    },
    {
      name: 'no-catch-all-folders',
      comment: 'Every file belongs to a subject. If it fits no folder, the folders or the file are wrong.',
      severity: 'error',
      from: {},
      to: { path: '(^|/)(utils?|common|helpers?|misc|v[0-9]+)/', pathNot: 'node_modules' },
    },
    {
      name: 'packages-are-declared',
      severity: 'error',
      from: { pathNot: test },
      to: {
        dependencyTypes: ['npm-no-pkg', 'unknown', 'undetermined'],
        pathNot: ['^sdk/src/index[.]ts$', '^mcp/src/(http|stdio)[.]ts$'],
      },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(^|/)dist/' },
    tsPreCompilationDeps: true, // type imports count too, unless a rule allows them
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      conditionNames: ['colophon-source', 'import', 'node', 'types', 'default'],
      exportsFields: ['exports'],
    },
  },
}

export default configuration
