/** The code blocks of the documentation and the dashboard that people can copy, and which of them no test can run. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export interface CodeBlock {
  /** Path of the document and first line of the block, by which the lists below refer to it. */
  name: string
  language: string
  text: string
}

/** Languages of blocks that show output or a drawing and are not meant to be run. */
const shownOnly = new Set(['text', 'json'])

const root = join(import.meta.dirname, '..')
const documents = globSync(['*.md', '{docs,deploy,testing}/**/*.md', '{server,sdk,python,cli,web,proofs}/*.md'], {
  cwd: root,
})

export function parseCodeBlocks(document: string, markdown: string): CodeBlock[] {
  const matches = [...markdown.matchAll(/^( *)```(\w+)\n([\s\S]*?)^\1```$/gm)]
  const fences = markdown.match(/^[ >]*(```|~~~)/gm) ?? []
  if (fences.length !== 2 * matches.length)
    throw new Error(`${document}: write every code block as \`\`\` and a language, outside of quotations.`)
  return matches.flatMap(([, indent = '', language = '', body = '']) => {
    const text = body.replaceAll(new RegExp(`^${indent}`, 'gm'), '')
    if (shownOnly.has(language)) return []
    return [{ name: `${document}: ${text.split('\n')[0]?.trim()}`, language, text }]
  })
}

export const readCodeBlocks = (): CodeBlock[] =>
  documents.toSorted().flatMap((document) => parseCodeBlocks(document, readFileSync(join(root, document), 'utf8')))

const needsContainers = 'needs a container runtime'
const needsCluster = 'needs a Kubernetes cluster with nodes; checks/helm-api-server.ts installs and upgrades the chart'
const changesMachine = 'changes the machine: installs packages or a systemd unit'

const installsPythonPackages = 'installs packages; proofs/clients.ts runs the same command in a virtual environment'

/** The reason for each block that no test runs. */
export const untestedCodeBlockReasons: Readonly<Record<string, string>> = {
  "cli/README.md: colophon job create 'Document the --proxy flag in the install guide.' --wait":
    'needs a worker and a runner; proofs/clients.ts runs it',
  "cli/README.md: job=$(echo 'Fix the dead links.' | colophon job create - --publish diff)":
    'needs a worker and a runner; proofs/clients.ts runs it',
  'CONTRIBUTING.md: ./setup            # installs Node 24 if it is missing, and the packages':
    'runs for an hour; .ci/run executes the same commands',
  'docs/api.md: pip install --requirement https://colophon.example.com/clients/python.txt': installsPythonPackages,
  'python/README.md: pip install -r https://colophon.example.com/clients/python.txt': installsPythonPackages,
  'README.md: cd deploy': 'proofs/containers.ts runs the same commands',
  'README.md: - uses: OWNER/colophon/integrations/github-action@COMMIT':
    'needs GitHub; integrations.integration.test.ts runs the Action as GitHub does',
  "deploy/README.md: echo 'COLOPHON_PUBLIC_URL=https://colophon.example.com' > .env":
    'proofs/containers.ts runs the same commands with another URL',
  "deploy/README.md: echo 'COMPOSE_FILE=compose.yml:compose.tls.yml' >> .env":
    'proofs/containers.ts runs the same command with another URL',
  "deploy/helm/README.md: version=$(sed -n 's/^appVersion: //p' deploy/helm/Chart.yaml | tr -d '\"')":
    'needs an image registry; proofs/containers.ts builds the same images',
  'deploy/README.md: identity="https://github.com/$REPOSITORY/.github/workflows/release.yml@refs/tags/v$VERSION"':
    'needs a published release',
  'deploy/README.md: xargs cosign verify --certificate-identity "$identity" --certificate-oidc-issuer "$issuer" < images.txt':
    'needs a published release',
  'docs/ci.md: curl --fail-with-body "$COLOPHON_URL/v2/projects/$COLOPHON_PROJECT_ID/token-exchange" \\':
    'needs the ID token of a CI run; the proof ci-federation sends the same request',
  'docs/ci.md: name: Docs': 'needs GitHub; integrations.integration.test.ts runs the Action as GitHub does',
  'docs/ci.md: include:': 'needs GitLab; integrations.integration.test.ts runs the script of the component',
  'docs/contributing/recipes.md: npm run fix': 'runs for an hour; .ci/run executes the same commands',
  'docs/operating.md: docker compose run --rm setup compose-setup --sealing-keys add':
    'needs a container runtime; compose-setup.test.ts runs the same steps',
  'deploy/helm/README.md: kubectl create namespace colophon': needsCluster,
  'deploy/helm/README.md: images:': 'values of the chart, which checks/helm.ts renders',
  'deploy/helm/README.md: helm install colophon deploy/helm --namespace colophon --values values.yaml': needsCluster,
  'deploy/helm/README.md: kubectl --namespace colophon exec deployment/colophon-api -- node server/src/main/colophon-server.ts admin project list':
    needsCluster,
  'deploy/helm/README.md: helm upgrade colophon deploy/helm --namespace colophon --values values.yaml': needsCluster,
  'deploy/helm/README.md: kubectl label namespace colophon pod-security.kubernetes.io/enforce=restricted': needsCluster,
  "testing/simulators/github/README.md: import { createGithubControlClient } from '@colophon/github-simulator/control'":
    'needs a simulator at this port; its own tests make the same calls',
  'testing/simulators/github/README.md: npx vitest run --project unit testing/simulators/github':
    'npm run check runs these tests',
  'docs/operating.md: server {': 'configuration of nginx, which is not installed',
  'docs/runners.md: apt-get update': changesMachine,
  'docs/runners.md: git clone "$REPOSITORY_URL" /opt/colophon': changesMachine,
  'docs/runners.md: useradd --system --no-create-home --shell /usr/sbin/nologin colophon': changesMachine,
  'docs/runners.md: mkdir -p /etc/colophon': changesMachine,
  'docs/runners.md: systemctl restart colophon-runner': changesMachine,
  'docs/runners.md: [Unit]': changesMachine,
  'docs/runners.md: systemctl daemon-reload': changesMachine,
  'docs/views.md: <script defer src="https://colophon.example.com/colophon.js" data-site="site_…"></script>':
    'part of a page; tracking-script.integration.test.ts loads it in Chromium',
  'docs/views.md: log_format docs escape=json \'{"ts":$msec,"status":$status,"request":{"method":"$request_method","uri":"$request_uri","headers":\'':
    'configuration of nginx, which is not installed',
  'docs/views.md: npx colophon-server admin client-list compare --file newer.json   # shows what would change':
    'changes server/data/ai-clients.json; admin.test.ts compares a list, and a release updates it',
}

/**
 * The expressions in `text` of the dashboard's `CopyBlock` components, each with the file and the code that run it as
 * shown, or the reason why none does.
 */
export const dashboardBlocks: Readonly<Record<string, { runBy: string; where: string } | { notRun: string }>> = {
  formattedPayload: { notRun: 'an event, which is nothing to run' },
  responseBeginning: { notRun: 'the response of a receiver, which is nothing to run' },
  codes: { notRun: 'recovery codes, which are nothing to run' },
  buildRunnerCommand: { runBy: 'proofs/onboarding.ts', where: "copied('runner command')" },
  renderAiViewExample: { runBy: 'web/src/keys/examples.integration.test.ts', where: 'renderAiViewExample(' },
  renderCheckoutImportCommand: {
    runBy: 'checks/code-blocks.integration.test.ts',
    where: 'renderCheckoutImportCommand(',
  },
  renderContainerImportCommand: { notRun: needsContainers },
  renderEnvironmentExample: { runBy: 'web/src/keys/examples.integration.test.ts', where: 'renderEnvironmentExample(' },
  renderExpressSnippet: { runBy: 'web/src/analytics/sending-snippets.test.ts', where: 'renderExpressSnippet(' },
  renderInstallCommand: { runBy: 'web/src/keys/examples.integration.test.ts', where: 'renderInstallCommand(' },
  renderScriptTag: { runBy: 'proofs/onboarding.ts', where: "copied('script tag')" },
  text: { runBy: 'web/src/keys/examples.integration.test.ts', where: 'test.each(apiExamples)' }, // of apiExamples
}

/** The names at the start of `text` of all `CopyBlock` components in the sources of the dashboard. */
export function readDashboardBlocks(): string[] {
  const sources = globSync('web/src/**/*.tsx', { cwd: root }).map((file) => readFileSync(join(root, file), 'utf8'))
  return sources.flatMap(findCopyBlocks)
}

export function findCopyBlocks(source: string): string[] {
  const blocks = source.match(/<CopyBlock\b/g) ?? []
  const texts = [...source.matchAll(/<CopyBlock\b[^>]*?\btext=\{?(\w+|"[^"]*")/g)].map(([, text = '']) => text)
  if (texts.length !== blocks.length)
    throw new Error('Write `text` of every CopyBlock as a text in quotes, or as an expression that starts with a name.')
  return texts
}
