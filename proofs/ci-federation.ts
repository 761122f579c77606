/**
 * Exchanges ID tokens of issuers that the proof runs, on two replicas of `api`: forged, stolen, repeated and mistaken ones, and those of issuers
 * that are slow or lie. Only a run of the trusted repository and branch gets a key, and only for as long as it may have one.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { createClient } from '../sdk/src/index.ts'
import type { Id } from '../server/src/platform/ids.ts'
import { prepareColophon } from '../testing/harness/colophon.ts'
import { formatBearerHeader, sendHttpRequest } from '../testing/harness/http-call.ts'
import {
  createFirstOwner,
  createInvitedMember,
  type SignedInPerson,
  toLocalhostOrigin,
} from '../testing/harness/people.ts'
import { operator } from '../testing/harness/test-instance.ts'
import {
  createSigningKey,
  discoveryPath,
  githubClaims,
  type IdTokenIssuer,
  keysPath,
  startIdTokenIssuer,
} from '../testing/simulators/id-token-issuer.ts'
import { createAttackerKey, listHostileTokens } from './ci-federation/hostile-tokens.ts'
import type { ProofRun } from './proof.ts'

export const guarantee =
  'Only a CI run of a trusted repository and branch gets an API key, once per token, for its scopes, and until the token expires or the trust ends'

/** Two requests of at most 5 s each, and a wait of at most 5 s. */
const maxSecondsForSlowIssuers = 20
const maxSecondsForOthers = 5
const operatorEmail = 'first@example.com'

interface Setup {
  run: ProofRun
  apiUrls: readonly [string, string]
  audience: string
  operator: SignedInPerson
  createProject(): Promise<{ projectId: Id<'prj'>; key: string }>
  issuer: IdTokenIssuer
  otherIssuer: IdTokenIssuer
  /** Each is trusted by a project of its own. */
  badIssuers: ReadonlyMap<string, IdTokenIssuer>
  rotatingIssuer: IdTokenIssuer
}

export async function prove(run: ProofRun): Promise<void> {
  const startIssuer = async () => {
    const issuer = await startIdTokenIssuer()
    run.cleanUp(() => issuer.stop())
    return issuer
  }
  const issuer = await startIssuer()
  const otherIssuer = await startIssuer()
  const rotatingIssuer = await startIssuer()
  const badIssuers = new Map<string, IdTokenIssuer>()
  for (const [name, misbehave] of Object.entries(misbehaviors)) {
    const bad = await startIssuer()
    misbehave(bad, otherIssuer)
    badIssuers.set(name, bad)
  }
  const issuers = [issuer, otherIssuer, rotatingIssuer, ...badIssuers.values()]
  const colophon = await prepareColophon(run, 'ci-federation')
  const settings = {
    COLOPHON_TRUSTED_PROXIES: '127.0.0.1',
    COLOPHON_EGRESS_ALLOWED_ISSUER_HOSTS: issuers.map(({ host }) => host).join(','),
  }
  const first = await colophon.start('api', settings)
  const audience = toLocalhostOrigin(first.url)
  const second = await colophon.start('api', { ...settings, COLOPHON_PUBLIC_URL: audience })
  const setup: Setup = {
    run,
    apiUrls: [first.url, second.url],
    audience,
    operator: await createFirstOwner(first.url, colophon),
    async createProject() {
      const project = await colophon.createProject('Handbook')
      await colophon.stores.members.add(project.projectId, { email: operatorEmail, role: 'owner' }, operator)
      await colophon.pool.query(
        'UPDATE project_member SET person_id = (SELECT id FROM person WHERE email = $1) WHERE email = $1',
        [operatorEmail],
      )
      return project
    },
    issuer,
    otherIssuer,
    badIssuers,
    rotatingIssuer,
  }
  await rejectHostileTokens(setup)
  await exchangeOnce(setup)
  await limitKeys(setup)
  await endKeys(setup)
  await surviveBadIssuers(setup)
  await followRotation(setup)
}

const trust = {
  name: 'Product',
  provider: 'github',
  claims: { repository: 'acme/product', ref: 'refs/heads/main' },
} as const

async function createTrustingProject(setup: Setup, issuer = setup.issuer) {
  const project = await setup.createProject()
  const client = createClient({ baseUrl: setup.apiUrls[0], apiKey: project.key, retry: false })
  const identity = await client.federation.create(project.projectId, { ...trust, issuer: issuer.issuer })
  return { ...project, client, identity }
}

const signValid = ({ issuer, audience }: Pick<Setup, 'issuer' | 'audience'>, claims: object = {}) =>
  issuer.sign({ aud: audience, ...githubClaims, ...claims })

/** From another network each time, because attempts are limited by network. */
async function exchange(
  apiUrl: string,
  projectId: string,
  token: string,
): Promise<{ status: number; text: string; secret: string }> {
  const { status, text } = await sendHttpRequest({
    method: 'POST',
    url: `${apiUrl}/v2/projects/${projectId}/token-exchange`,
    headers: ['content-type', 'application/json', 'x-forwarded-for', randomAddress()],
    body: JSON.stringify({ token }),
  })
  return { status, text, secret: status === 201 ? (JSON.parse(text) as { secret: string }).secret : '' }
}

const randomAddress = () => `10.${randomByte()}.${randomByte()}.${randomByte()}`
const randomByte = () => Math.floor(Math.random() * 256)

async function callWith(apiUrl: string, secret: string, path = '/v2/me'): Promise<number> {
  const headers = formatBearerHeader(secret)
  return (await sendHttpRequest({ method: 'GET', url: apiUrl + path, headers })).status
}

async function rejectHostileTokens(setup: Setup): Promise<void> {
  const { run, apiUrls, issuer, otherIssuer, audience } = setup
  const { projectId } = await createTrustingProject(setup)
  const untrusting = await setup.createProject()
  // Pins the IDs of the repository, and shows that the setup is right.
  const accepted = await exchange(apiUrls[0], projectId, await signValid(setup))
  run.check(accepted.status === 201, `the token of a trusted run is exchanged (${accepted.status} ${accepted.text})`)
  const attackerKey = await createAttackerKey()
  const tokens = listHostileTokens({ issuer, otherIssuer, audience, attackerKey })
  const rounds = { ci: 1, stated: 10, full: 100 }[run.size]
  let attempts = 0
  let letIn = 0
  const attempt = async (name: string, project: string, token: string) => {
    for (const url of apiUrls) {
      const { status, text } = await exchange(url, project, token)
      attempts++
      if (status === 201) letIn++
      run.check(status >= 400, `a token is rejected: ${name} (${status})`)
      run.check(
        status < 500 || status === 503,
        `a hostile token causes no error of the server: ${name} (${status} ${text})`,
      )
    }
  }
  const requestsBefore = otherIssuer.requests.length
  for (let round = 0; round < rounds; round++) {
    for (const { name, create } of tokens) await attempt(name, projectId, await create())
    await attempt('for a project without trust', untrusting.projectId, await signValid(setup))
    await attempt('for a project that does not exist', 'prj_01m7ehrhx0fk5b0axvny9mpndf', await signValid(setup))
    run.log(`round ${round + 1} of ${rounds}: ${attempts} attempts, ${letIn} let in`)
  }
  run.check(
    otherIssuer.requests.length === requestsBefore,
    `nothing is requested from issuers that the project does not trust (${otherIssuer.requests.length - requestsBefore})`,
  )
  const after = await exchange(apiUrls[0], projectId, await signValid(setup))
  run.check(
    after.status === 201,
    `the token of a trusted run is exchanged after all of them (${after.status} ${after.text})`,
  )
  run.figure('kinds of hostile tokens', tokens.length + 2)
  run.figure('attempts with hostile tokens, let in', `${attempts}, ${letIn}`)
}

async function exchangeOnce(setup: Setup): Promise<void> {
  const { run, apiUrls } = setup
  const { projectId } = await createTrustingProject(setup)
  const other = await createTrustingProject(setup)
  const rounds = { ci: 3, stated: 20, full: 200 }[run.size]
  const atOnce = 20
  for (let round = 0; round < rounds; round++) {
    const token = await signValid(setup)
    const statuses = await Promise.all(
      Array.from({ length: atOnce }, async (_, index) => {
        const project = index % 5 === 4 ? other.projectId : projectId
        return (await exchange(apiUrls[index % 2] ?? apiUrls[0], project, token)).status
      }),
    )
    const accepted = statuses.filter((status) => status === 201).length
    run.check(accepted === 1, `of ${atOnce} exchanges of one token at once, exactly one succeeds (${accepted})`)
    const later = await exchange(apiUrls[1], projectId, token)
    run.check(later.status === 401, `a token is not exchanged again later (${later.status})`)
  }
  run.figure('tokens sent 20 times at once, each exchanged once', rounds)
}

async function limitKeys(setup: Setup): Promise<void> {
  const { run, apiUrls } = setup
  const { projectId } = await createTrustingProject(setup)
  const other = await setup.createProject()
  const expiresAtSeconds = Math.floor(Date.now() / 1000) + 6
  const { secret } = await exchange(apiUrls[0], projectId, await signValid(setup, { exp: expiresAtSeconds }))
  const expectations: readonly [string, number][] = [
    ['/v2/me', 200],
    [`/v2/agent/${projectId}/jobs`, 200],
    [`/v2/projects/${projectId}/keys`, 403],
    [`/v1/analytics/${projectId}/coverage`, 403],
    [`/v2/agent/${other.projectId}/jobs`, 404],
  ]
  for (const [path, expected] of expectations) {
    const status = await callWith(apiUrls[1], secret, path)
    run.check(status === expected, `a key works for its scopes only: GET ${path} returns ${expected} (${status})`)
  }
  await sleep(expiresAtSeconds * 1000 - Date.now() + 50)
  for (const url of apiUrls) {
    const status = await callWith(url, secret)
    run.check(status === 401, `a key stops when the token expires (${status})`)
  }
}

async function endKeys(setup: Setup): Promise<void> {
  const { run, apiUrls } = setup
  const rounds = { ci: 1, stated: 5, full: 20 }[run.size]
  const checkEnded = async (projectId: string, secret: string, event: string) => {
    for (const url of apiUrls) {
      const status = await callWith(url, secret)
      run.check(status === 401, `a key stops when ${event} (${status})`)
      const again = await exchange(url, projectId, await signValid(setup))
      run.check(again.status === 401, `no key is given out after ${event} (${again.status})`)
    }
  }
  for (let round = 0; round < rounds; round++) {
    const deleted = await createTrustingProject(setup)
    const deletedKey = await exchange(apiUrls[0], deleted.projectId, await signValid(setup))
    await deleted.client.federation.delete(deleted.projectId, deleted.identity.id)
    await checkEnded(deleted.projectId, deletedKey.secret, 'its identity is deleted')

    const { projectId, key } = await setup.createProject()
    const client = createClient({ baseUrl: apiUrls[0], apiKey: key, retry: false })
    const email = `leaving-${round}-${projectId}@example.com`
    const person = await createInvitedMember(apiUrls[0], setup.operator, { projectId, role: 'owner', email })
    await person.client.federation.create(projectId, { ...trust, issuer: setup.issuer.issuer })
    const { secret } = await exchange(apiUrls[0], projectId, await signValid(setup))
    run.check((await callWith(apiUrls[1], secret)) === 200, 'a key works on the other replica')
    const { members } = await client.members.list(projectId)
    await client.members.remove(projectId, members.find((member) => member.email === email)?.id ?? '')
    await checkEnded(projectId, secret, 'the creator of its identity leaves')
  }
  run.figure('identities deleted, and creators who left', rounds * 2)
}

const misbehaviors: Readonly<Record<string, (issuer: IdTokenIssuer, other: IdTokenIssuer) => unknown>> = {
  'is silent': ({ responses }) => responses.set(discoveryPath, () => {}),
  'sends its keys a byte at a time': ({ responses }) =>
    responses.set(keysPath, (_request, response) => {
      const timer = setInterval(() => response.write(' '), 200)
      response.on('close', () => clearInterval(timer))
    }),
  'sends keys without end': ({ responses }) =>
    responses.set(keysPath, (_request, response) => {
      const write = () => {
        while (!response.destroyed && response.write('x'.repeat(65_536)));
      }
      response.on('drain', write)
      write()
    }),
  'redirects to its keys': ({ responses }, { issuer }) =>
    responses.set(keysPath, (_request, response) => response.writeHead(302, { location: issuer + keysPath }).end()),
  'names the keys of an internal host': ({ responses, issuer }, other) =>
    responses.set(discoveryPath, (_request, response) =>
      response.end(JSON.stringify({ issuer, jwks_uri: other.issuer + keysPath })),
    ),
  'names another issuer': ({ responses, issuer }, other) =>
    responses.set(discoveryPath, (_request, response) =>
      response.end(JSON.stringify({ issuer: other.issuer, jwks_uri: issuer + keysPath })),
    ),
  'sends a symmetric key': (issuer) => {
    issuer.publishedKeys = [{ kty: 'oct', kid: 'key-1', k: 'c2VjcmV0', alg: 'RS256' }]
  },
  'sends something that is not JSON': ({ responses }) =>
    responses.set(keysPath, (_request, response) => response.end('<html>')),
}

async function surviveBadIssuers(setup: Setup): Promise<void> {
  const { run, apiUrls, badIssuers, otherIssuer, audience } = setup
  const honest = await createTrustingProject(setup)
  const requestsBefore = otherIssuer.requests.length
  let slowestMs = 0
  const attacks = [...badIssuers].map(async ([name, issuer]) => {
    const { projectId } = await createTrustingProject(setup, issuer)
    const startMs = performance.now()
    const results = await Promise.all(
      Array.from({ length: 10 }, async () =>
        exchange(apiUrls[0], projectId, await signValid({ issuer, audience })).then(({ status }) => status),
      ),
    )
    slowestMs = Math.max(slowestMs, performance.now() - startMs)
    run.check(
      results.every((status) => status === 503 || status === 401),
      `nobody gets a key from an issuer that ${name} (${results.join(', ')})`,
    )
  })
  let slowestHonestMs = 0
  const ended = Promise.all(attacks).then(() => true)
  for (;;) {
    const startMs = performance.now()
    const { status, text } = await exchange(apiUrls[0], honest.projectId, await signValid(setup))
    slowestHonestMs = Math.max(slowestHonestMs, performance.now() - startMs)
    run.check(status === 201, `an honest exchange succeeds while issuers misbehave (${status} ${text})`)
    if (await Promise.race([ended, sleep(250, false)])) break
  }
  run.check(
    otherIssuer.requests.length === requestsBefore,
    `no keys are requested from hosts that an issuer names (${otherIssuer.requests.length - requestsBefore})`,
  )
  run.figure('issuers that misbehave', badIssuers.size)
  run.figure('slowest exchange with one of them', `${(slowestMs / 1000).toFixed(1)} s`, {
    goal: `≤ ${maxSecondsForSlowIssuers} s`,
    isMet: slowestMs <= maxSecondsForSlowIssuers * 1000,
  })
  run.figure('slowest honest exchange meanwhile', `${(slowestHonestMs / 1000).toFixed(1)} s`, {
    goal: `≤ ${maxSecondsForOthers} s`,
    isMet: slowestHonestMs <= maxSecondsForOthers * 1000,
  })
}

async function followRotation(setup: Setup): Promise<void> {
  const { run, apiUrls, audience, rotatingIssuer: issuer } = setup
  const { projectId } = await createTrustingProject(setup, issuer)
  const [url] = apiUrls
  const sign = () => signValid({ issuer, audience })
  const first = await exchange(url, projectId, await sign())
  run.check(first.status === 201, `a token signed with the first key is exchanged (${first.status} ${first.text})`)
  const oldKey = issuer.key
  const newKey = await createSigningKey('key-2')
  issuer.publishedKeys = [newKey.jwk]
  issuer.key = newKey
  const startMs = performance.now()
  let status = 0
  while (status !== 201 && performance.now() - startMs < 60_000) {
    ;({ status } = await exchange(url, projectId, await sign()))
    if (status !== 201) await sleep(1_000)
  }
  run.check(status === 201, `a token signed with the new key is exchanged soon after a rotation (${status})`)
  run.figure('until a new key of an issuer was accepted', `${Math.round((performance.now() - startMs) / 1000)} s`)
  for (const [name, key] of [
    ['the removed key', oldKey],
    ['a key of the attacker with the new ID', await createSigningKey('key-2')],
  ] as const) {
    issuer.key = key
    const rejected = await exchange(url, projectId, await sign())
    run.check(
      rejected.status === 401 || rejected.status === 503,
      `after a rotation, ${name} is rejected (${rejected.status})`,
    )
  }
}
