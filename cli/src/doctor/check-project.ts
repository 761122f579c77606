/** Checks of the API key and its project: what jobs and page views need. */
import { type Client, isColophonError, type Me, type ProjectSetup, type ViewSources } from '@colophon/sdk'
import { type Finding, ok, problem, unknown, warning } from './finding.ts'

const dayMs = 24 * 60 * 60 * 1000
const expiresSoonDays = 14

export interface KeyCheck {
  finding: Finding
  /** Undefined if the key does not work. */
  me: Me | undefined
}

export async function checkKey(client: Client, url: string): Promise<KeyCheck> {
  try {
    const me = await client.me()
    return { finding: describeKey(me), me }
  } catch (error) {
    if (!isColophonError(error)) throw error
    const nextStep =
      error.code === 'ip_not_allowed'
        ? 'Use the key from one of its networks, or create one without networks.'
        : `Create an API key on ${url} (API keys), then run colophon login.`
    return { finding: problem('API key', error.detail, nextStep), me: undefined }
  }
}

function describeKey({ name, scopes, expiresAt }: Me): Finding {
  const text = `"${name}" has ${scopes.join(', ')}`
  if (expiresAt === null) return ok('API key', text)
  const days = Math.floor((Date.parse(expiresAt) - Date.now()) / dayMs)
  return days < expiresSoonDays
    ? warning('API key', `${text}, and expires in ${days} days.`, 'Create another key: colophon keys create.')
    : ok('API key', `${text}, and expires in ${days} days`)
}

export async function checkProject(client: Client, { projectId, scopes }: Me, url: string): Promise<Finding[]> {
  const settings = `${url}/projects/${projectId}/settings`
  const findings: Finding[] = []
  if (scopes.includes('project:read')) {
    const [project, setup, { repository }] = await Promise.all([
      client.projects.get(projectId),
      client.projects.setup(projectId),
      client.repository.get(projectId),
    ])
    findings.push(
      project.pausedAt === null
        ? ok('Project', `"${project.name}" is active`)
        : warning('Project', `"${project.name}" is paused: its jobs wait.`, `Resume it on ${settings}/agent.`),
    )
    if (repository?.issue)
      findings.push(problem('Repository', repository.issue.message, `Connect it again on ${settings}/repository.`))
    else findings.push(checkRepository(setup, settings))
    findings.push(checkModel(setup, settings), checkRunner(setup, settings, url))
  } else
    findings.push(
      unknown('Project', 'The key lacks the scope project:read, so repository, model and runners are not checked.'),
    )
  findings.push(
    scopes.includes('analytics:read')
      ? checkViews(await client.views.sources(projectId), settings, url)
      : unknown('Page views', 'The key lacks the scope analytics:read.'),
  )
  if (!scopes.includes('agent:write'))
    findings.push(
      warning(
        'Jobs',
        'The key lacks the scope agent:write, so it cannot create jobs.',
        'Use a key that has this scope.',
      ),
    )
  return findings
}

const checkRepository = ({ repository }: ProjectSetup, settings: string): Finding =>
  repository.isConnected
    ? ok('Repository', `${repository.name} is connected`)
    : problem(
        'Repository',
        'No repository is connected, so jobs are rejected.',
        `Connect one on ${settings}/repository.`,
      )

const checkModel = ({ model }: ProjectSetup, settings: string): Finding =>
  model.name === null
    ? problem(
        'Model',
        'There is no default model, so jobs have to name one.',
        `Ask an operator to add a model, then see ${settings}/models.`,
      )
    : ok('Model', `${model.name} is the default`)

function checkRunner({ runner }: ProjectSetup, settings: string, url: string): Finding {
  if (runner.isOnline) return ok('Runner', 'at least one is online')
  const message =
    runner.lastSeenAt === null
      ? 'No runner has ever polled for turns of this project, so jobs wait.'
      : `No runner is online, so jobs wait. The last one was seen at ${runner.lastSeenAt}.`
  return problem('Runner', message, `Start one: ${settings}/runners has the command, ${url}/docs/runners explains it.`)
}

const silentSourceDays = 2

function checkViews({ sources }: ViewSources, settings: string, url: string): Finding {
  const [latest] = sources // the one with the most recent event first
  if (latest === undefined)
    return warning(
      'Page views',
      'No source has ever reported views.',
      `Add one: ${settings}/views, or ${url}/docs/views.`,
    )
  const days = Math.floor((Date.now() - Date.parse(latest.lastEventAt)) / dayMs)
  if (days >= silentSourceDays)
    return warning(
      'Page views',
      `The last views arrived ${days} days ago, from ${latest.source}.`,
      `Check the script tag, the middleware or the import of logs: ${url}/docs/views.`,
    )
  const counted = sources.reduce((sum, { countedLast24Hours }) => sum + countedLast24Hours, 0)
  const dropped = sources.reduce((sum, { droppedLast24Hours }) => sum + droppedLast24Hours, 0)
  if (counted === 0 && dropped > 0)
    return warning(
      'Page views',
      `All ${dropped} requests of the last 24 hours were dropped.`,
      `Analytics → Sources on ${url} shows the reasons.`,
    )
  return ok(
    'Page views',
    `${counted} counted in the last 24 hours, from ${sources.map(({ source }) => source).join(', ')}`,
  )
}
