/** GitHub for routes: calls that need no stored secret are made here, the others are delegated to `worker`. */
import Type from 'typebox'
import Value from 'typebox/value'
import { excessPermissions } from '../../api/github/app-manifest.ts'
import type { GithubConnector } from '../../api/github/github-connector.ts'
import { CodeHostError } from '../../code-hosts/code-host-error.ts'
import { convertAppManifest } from '../../code-hosts/github/app-api.ts'
import type { CallWorker } from '../../platform/call-worker.ts'
import type { ApiConfig } from '../../platform/config.ts'
import { createEgressFor } from '../../platform/egress/create-egress-for.ts'
import { Problem } from '../../platform/http/problem.ts'
import type { Log } from '../../platform/log.ts'
import { createSealer } from '../../platform/sealed-secrets/sealed-secret.ts'
import type * as workflows from '../../workflows/all.ts'
import type { Stores } from '../processes/open-stores.ts'

/** The response is validated, because `worker` may run another version. */
const TestResult = Type.Union([
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

export function createGithubConnector({
  config,
  stores: { githubApps, authorizations },
  callWorker,
  log,
}: {
  config: Pick<ApiConfig, 'egress' | 'sealingKeys' | 'githubUrls'>
  stores: Stores
  callWorker: CallWorker
  log: Log
}): GithubConnector {
  const sealer = createSealer(config.sealingKeys)
  const callWorkerOrFail = async (workflow: keyof typeof workflows, args: readonly unknown[]) => {
    const call = await callWorker(workflow, args)
    if (call.kind === 'completed') return call.response
    throw new Problem(
      'unavailable',
      'GitHub did not respond in time. Check that `worker` is running and can reach GitHub.',
    )
  }
  return {
    baseUrls: config.githubUrls,

    async registerApp(baseUrl, code, actor) {
      const egress = createEgressFor('codeHosts', config.egress, log)
      try {
        const created = await convertAppManifest(baseUrl, code, egress)
        const excess = excessPermissions(created.permissions)
        if (excess.length > 0)
          throw new Problem(
            'invalid_request',
            `The App has more permissions than requested (${excess.join(', ')}). Delete it on GitHub and create it again from here.`,
          )
        const app = {
          baseUrl,
          appId: created.id,
          slug: created.slug,
          name: created.name,
          url: created.html_url,
          clientId: created.client_id,
          webhookSecret: created.webhook_secret,
        }
        const previous = await githubApps.find(baseUrl)
        const secrets = { clientSecret: created.client_secret, privateKeyPem: created.pem }
        const stored = await githubApps.put(app, secrets, sealer, actor)
        log.warn({ baseUrl, appId: stored.appId, previousAppId: previous?.appId ?? null }, 'github app stored')
        return stored
      } catch (error) {
        if (!(error instanceof CodeHostError)) throw error
        const nextStep = 'If the new App exists on GitHub, delete it there and create it again from here.'
        throw new Problem('invalid_request', `${error.message} ${nextStep}`)
      } finally {
        await egress.close()
      }
    },

    async exchangeCode({ id }, code) {
      await authorizations.storeCode(id, code, sealer)
      const failure = await callWorkerOrFail('storeWritableRepositories', [id])
      if (failure !== null) throw new Problem('invalid_request', String(failure))
    },

    async testRepository(authorizationId, { repositoryId, baseBranch, docsFolder }) {
      const result = await callWorkerOrFail('testAuthorizedRepository', [
        authorizationId,
        repositoryId,
        baseBranch,
        docsFolder,
      ])
      if (!Value.Check(TestResult, result)) throw new Error('worker returned an invalid repository test result')
      return result
    },
  }
}
