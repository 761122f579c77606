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
const runByReverseProxies = 'proofs/reverse-proxies.ts starts the proxy with the same file'
const runByRestore = 'needs the settings of backups; proofs/restore.ts runs the same commands'
const readsDeployment = 'reads the logs, metrics or databases of a deployment, at addresses that the reader fills in'
const changesMachine = 'changes the machine: installs packages or a systemd unit'

const installsPythonPackages = 'installs packages; proofs/clients.ts runs the same command in a virtual environment'

const runByServerFrameworks = 'needs the framework; proofs/server-frameworks.ts starts a site with the same file'

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
  'deploy/README.md: docker compose run --rm -T --no-deps --entrypoint node migrate server/src/main/colophon-server.ts upgrade --check':
    'proofs/containers.ts runs the same commands',
  'deploy/README.md: docker compose run --rm -T --no-deps api backup key generate':
    'needs a container runtime; proofs/containers.ts runs compose.backup.yml',
  "deploy/README.md: cat >> .env <<'END'": 'proofs/containers.ts runs compose.backup.yml with other settings',
  'deploy/README.md: (umask 077; docker compose run --rm -T --no-deps --entrypoint tar setup --create --directory /volumes/secrets . > secrets.tar)':
    'proofs/containers.ts runs the same command',
  'deploy/README.md: docker compose run --rm -T --no-deps --entrypoint tar setup --extract --directory /volumes/secrets < secrets.tar':
    'proofs/containers.ts runs the same commands',
  "deploy/helm/README.md: version=$(sed -n 's/^appVersion: //p' deploy/helm/Chart.yaml | tr -d '\"')":
    'needs an image registry; proofs/containers.ts builds the same images',
  'deploy/README.md: identity="https://github.com/$REPOSITORY/.github/workflows/release.yml@refs/tags/v$VERSION"':
    'needs a published release',
  'deploy/README.md: xargs cosign verify --certificate-identity "$identity" --certificate-oidc-issuer "$issuer" < images.txt':
    'needs a published release',
  'docs/ci.md: curl --fail-with-body "$COLOPHON_URL/v2/projects/$COLOPHON_PROJECT_ID/token-exchange" \\':
    'needs the ID token of a CI run; the proof ci-federation sends the same request',
  'docs/ci.md: name: Docs': 'needs GitHub; integrations.integration.test.ts runs the Action as GitHub does',
  'docs/views.md: // server.js': runByServerFrameworks,
  'docs/views.md: // server/middleware/count-views.js': runByServerFrameworks,
  'docs/views.md: // src/hooks.server.js': runByServerFrameworks,
  'docs/views.md: // src/middleware.js': runByServerFrameworks,
  'docs/ci.md: include:': 'needs GitLab; integrations.integration.test.ts runs the script of the component',
  'docs/contributing/recipes.md: npm run fix': 'runs for an hour; .ci/run executes the same commands',
  'docs/operations/rotate-secrets.md: docker compose run --rm setup compose-setup --sealing-keys add':
    'needs a container runtime; compose-setup.test.ts runs the same steps',
  'deploy/helm/README.md: kubectl create namespace colophon': needsCluster,
  'deploy/helm/README.md: images:': 'values of the chart, which checks/helm.ts renders',
  'deploy/helm/README.md: helm install colophon deploy/helm --namespace colophon --values values.yaml': needsCluster,
  'deploy/helm/README.md: kubectl --namespace colophon exec deployment/colophon-api -- node server/src/main/colophon-server.ts admin project list':
    needsCluster,
  'deploy/helm/README.md: helm upgrade colophon deploy/helm --namespace colophon --values values.yaml': needsCluster,
  'deploy/helm/README.md: helm template colophon deploy/helm --namespace colophon --values values.yaml --show-only templates/migrate.yaml |':
    needsCluster,
  'deploy/helm/README.md: kubectl label namespace colophon pod-security.kubernetes.io/enforce=restricted': needsCluster,
  "testing/simulators/github/README.md: import { createGithubControlClient } from '@colophon/github-simulator/control'":
    'needs a simulator at this port; its own tests make the same calls',
  'testing/simulators/github/README.md: npx vitest run --project unit testing/simulators/github':
    'npm run check runs these tests',
  'docs/operations/tls-and-proxies.md: # /etc/nginx/conf.d/colophon.conf': runByReverseProxies,
  'docs/operations/tls-and-proxies.md: # /etc/traefik/traefik.yml': runByReverseProxies,
  'docs/operations/tls-and-proxies.md: # /etc/traefik/colophon.yml': runByReverseProxies,
  'docs/operations/air-gapped.md: docker compose -f deploy/compose.yml build': needsContainers,
  'docs/operations/air-gapped.md: docker load --input colophon-images.tar': needsContainers,
  'docs/operations/backup.md: colophon-server backup': runByRestore,
  'docs/operations/backup.md: colophon-server backup schedule':
    'runs until it is stopped; backup-schedule.integration.test.ts starts the same process',
  'docs/operations/backup.md: age --decrypt --identity key.txt 2026-11-19T02-00-00.000Z/postgres/project.copy.zst.age | zstd --decompress':
    'needs the programs age and zstd, and a backup with this name',
  'docs/operations/backup.md: colophon-server restore': runByRestore,
  'docs/operations/runbooks/background-work-failing.md: docker compose logs --since 10m worker | grep \'"level":"warn"\' | cut -c1-300 | tail -20':
    readsDeployment,
  "docs/operations/runbooks/backlog-unknown.md: docker compose logs --since 10m worker | grep 'could not read the metrics of queues' | tail -3":
    readsDeployment,
  'docs/operations/runbooks/backup-old.md: temporal schedule describe --schedule-id backup --namespace NAMESPACE':
    readsDeployment,
  'docs/operations/runbooks/certificate-expiring.md: openssl x509 -noout -enddate -in "$COLOPHON_TLS_CERT_FILE"':
    readsDeployment,
  'docs/operations/runbooks/clickhouse-slow.md: docker compose exec clickhouse clickhouse-client --query "SELECT query_duration_ms, left(query, 100) FROM system.query_log WHERE type = \'QueryFinish\' AND event_time > now() - 600 ORDER BY 1 DESC LIMIT 10"':
    readsDeployment,
  'docs/operations/runbooks/clients-rate-limited.md: docker compose logs --since 10m api | grep \'"status":429\' | tail -5':
    readsDeployment,
  'docs/operations/runbooks/component-down.md: curl -s http://HOST:PORT/readyz': readsDeployment,
  'docs/operations/runbooks/event-loop-blocked.md: top -b -n 1 | head -15': readsDeployment,
  "docs/operations/runbooks/instance-budget-used.md: curl -s http://WORKER:9464/metrics | grep model_refusals_total | grep instance_ | grep -v ' 0$'":
    readsDeployment,
  'docs/operations/runbooks/jobs-not-started.md: curl -s http://HOST:PORT/readyz': readsDeployment,
  "docs/operations/runbooks/model-calls-failing.md: docker compose logs --since 15m worker | grep 'model provider reported an error' | tail -5":
    readsDeployment,
  'docs/operations/runbooks/no-runner-online.md: docker compose logs --tail 30 runner': readsDeployment,
  'docs/operations/runbooks/process-down.md: docker compose ps': readsDeployment,
  "docs/operations/runbooks/publishing-fails.md: curl -s http://WORKER:9464/metrics | grep publish_failures_total | grep -v ' 0$'":
    readsDeployment,
  'docs/operations/runbooks/requests-failing.md: curl -s http://HOST:PORT/readyz': readsDeployment,
  'docs/operations/runbooks/runners-lost.md: docker compose logs --tail 50 runner': readsDeployment,
  'docs/operations/runbooks/sign-ins-failing.md: curl -s http://API:9464/metrics | grep sign_in_failures_total':
    readsDeployment,
  "docs/operations/runbooks/turns-failing.md: curl -s http://WORKER:9464/metrics | grep turns_ended_total | grep -v ' 0$'":
    readsDeployment,
  "docs/operations/runbooks/turns-wait-for-runner.md: curl -s http://WORKER:9464/metrics | grep -E 'colophon_(attempts|runners)'":
    readsDeployment,
  'docs/operations/runbooks/view-buffer-full.md: curl -s http://WORKER:9464/metrics | grep colophon_view_':
    readsDeployment,
  "docs/operations/runbooks/views-not-loaded.md: docker compose logs --since 10m worker | grep 'could not load views' | tail -3":
    readsDeployment,
  "docs/operations/runbooks/views-quarantined.md: docker compose logs worker | grep 'batch of views quarantined' | tail -3":
    readsDeployment,
  'docs/operations/runbooks/webhooks-not-delivered.md: curl -s http://WORKER:9464/metrics | grep webhook_':
    readsDeployment,
  'docs/operations/support.md: docker compose logs --no-log-prefix --since 24h api worker |': needsContainers,
  'docs/operations/support.md: tar -xzf colophon-support.tar.gz':
    'unpacks the file that another block writes; support.integration.test.ts unpacks it',
  'docs/operations/uninstall.md: docker compose -f deploy/compose.yml down --volumes --remove-orphans': needsContainers,
  'docs/operations/uninstall.md: helm uninstall colophon': needsCluster,
  'docs/operations/monitoring.md: global:':
    'configuration of Prometheus; proofs/alerts.ts starts one with its own addresses',
  'docs/operations/monitoring.md: rule_files: [/etc/prometheus/colophon-alerts.yml]':
    'configuration of Prometheus; proofs/alerts.ts starts one with the same rules',
  'docs/runners.md: apt-get update': changesMachine,
  'docs/runners.md: git clone "$REPOSITORY_URL" /opt/colophon': changesMachine,
  'docs/runners.md: useradd --system --no-create-home --shell /usr/sbin/nologin colophon': changesMachine,
  'docs/runners.md: mkdir -p /etc/colophon': changesMachine,
  'docs/runners.md: systemctl restart colophon-runner': changesMachine,
  'docs/runners.md: [Unit]': changesMachine,
  'docs/runners.md: systemctl daemon-reload': changesMachine,
  'docs/views.md: <script defer src="https://colophon.example.com/colophon.js" data-site="site_…"></script>':
    'part of a page; tracking-script.integration.test.ts loads it in Chromium',
  'docs/views.md: log_format docs escape=json \'{"at":$msec,"method":"$request_method","host":"$host","path":"$request_uri","status":$status,\'':
    'configuration of nginx; parse-log-line.test.ts reads a line that it wrote',
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
