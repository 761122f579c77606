/** What routes ask of GitHub: what needs no stored secret is done here, the rest is asked of `worker`. */
import Type from 'typebox'
import Value from 'typebox/value'
import { permissionsBeyond } from '../api/github/app-manifest.ts'
import type { GithubDoor } from '../api/github/github-door.ts'
import { CodeHostError } from '../code-hosts/code-host-error.ts'
import { convertManifest } from '../code-hosts/github/app-calls.ts'
import type { AskWorker } from '../platform/ask-worker.ts'
import type { ApiConfig } from '../platform/config.ts'
import { createEgress } from '../platform/egress/egress.ts'
import { Problem } from '../platform/http/problem.ts'
import type { Log } from '../platform/log.ts'
import { createSealer } from '../platform/sealed-secrets/sealed-secret.ts'
import type { Stores } from './open-stores.ts'

/** Another version of `worker` may run: only what is looked at counts. */
const Tested = Type.Union([
  Type.Object({ ok: Type.Literal(false), message: Type.String(), found: Type.Null() }),
  Type.Object({
    ok: Type.Literal(true),
    message: Type.String(),
    found: Type.Object({
      defaultBranch: Type.String(),
      docsFolderExists: Type.Union([Type.Boolean(), Type.Null()]),
      pages: Type.Union([Type.Integer(), Type.Null()]),
      canManageWebhooks: Type.Boolean(),
    }),
  }),
])

export function createGithubDoor({
  config,
  stores: { githubApps, visits },
  askWorker,
  log,
}: {
  config: Pick<ApiConfig, 'egress' | 'sealingKeys' | 'githubUrls'>
  stores: Stores
  askWorker: AskWorker
  log: Log
}): GithubDoor {
  const sealer = createSealer(config.sealingKeys)
  const ask = async (workflow: string, args: readonly unknown[]) => {
    const asked = await askWorker(workflow, args)
    if (asked.kind === 'answered') return asked.response
    throw new Problem('unavailable', 'Nobody asked GitHub in time: is `worker` running, and GitHub in reach?')
  }
  return {
    baseUrls: config.githubUrls,

    async keepApp(baseUrl, code) {
      const egress = createEgress(config.egress)
      try {
        const made = await convertManifest(baseUrl, code, egress)
        const beyond = permissionsBeyond(made.permissions)
        if (beyond.length > 0)
          throw new Problem(
            'invalid_request',
            `The App may do more than was asked for (${beyond.join(', ')}). Delete it on GitHub, and make it once more from here.`,
          )
        const app = {
          baseUrl,
          appId: made.id,
          slug: made.slug,
          name: made.name,
          url: made.html_url,
          clientId: made.client_id,
          webhookSecret: made.webhook_secret,
        }
        const before = await githubApps.find(baseUrl)
        const secrets = { clientSecret: made.client_secret, privateKeyPem: made.pem }
        const kept = await githubApps.put(app, secrets, sealer)
        log.warn({ baseUrl, appId: kept.appId, appIdBefore: before?.appId ?? null }, 'a GitHub App was taken over')
        return kept
      } catch (error) {
        if (!(error instanceof CodeHostError)) throw error
        const next = 'If GitHub shows the new App all the same, delete it there, and make it once more from here.'
        throw new Problem('invalid_request', `${error.message} ${next}`)
      } finally {
        await egress.close()
      }
    },

    async exchange({ id }, code) {
      await visits.keepCode(id, code, sealer)
      const wrong = await ask('exchangeVisit', [id])
      if (wrong !== null) throw new Problem('invalid_request', String(wrong))
    },

    async test(authorizationId, { repositoryId, baseBranch, docsFolder }) {
      const tested = await ask('testFoundRepository', [authorizationId, repositoryId, baseBranch, docsFolder])
      if (!Value.Check(Tested, tested)) throw new Error('worker answered a test with something else')
      return tested
    },
  }
}
