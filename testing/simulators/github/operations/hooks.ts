import { actorOf } from '../access.ts'
import { defineRepositoryOperation, type Operations, paginate, type RepositoryCall } from '../api-call.ts'
import { notFound, validationFailed } from '../api-error.ts'
import { accountResponse } from '../responses/account.ts'
import { hookResponse } from '../responses/hook.ts'
import { repositoryResponse } from '../responses/repository.ts'
import type { Hook } from '../state.ts'

interface HookInput {
  config?: { url?: string; content_type?: string; secret?: string }
  events?: string[]
  add_events?: string[]
  remove_events?: string[]
  active?: boolean
}

function requireHook({ repository, params }: RepositoryCall): Hook {
  const found = repository.hooks.find(({ id }) => id === Number(params.hook_id))
  if (!found) throw notFound()
  return found
}

const invalidHook = (message: string) => validationFailed({ resource: 'Hook', code: 'custom', message })

function ping({ events, state, repository, caller }: RepositoryCall, hook: Hook): void {
  events.emitPing(
    { hook, type: 'repository', id: repository.id, account: repository.owner },
    {
      zen: 'Keep it logically awesome.',
      hook_id: hook.id,
      hook: hookResponse(state, repository, hook),
      repository: repositoryResponse(state, repository),
      sender: accountResponse(state, actorOf(caller)),
    },
  )
}

export const hookOperations: Operations = {
  'repos/list-webhooks': defineRepositoryOperation('repository_hooks:read', (call) => {
    const { items, headers } = paginate(call.repository.hooks, call)
    return { status: 200, body: items.map((hook) => hookResponse(call.state, call.repository, hook)), headers }
  }),

  'repos/create-webhook': defineRepositoryOperation('repository_hooks:write', (call) => {
    const { repository, state } = call
    const { config = {}, events = ['push'], active = true } = call.body as HookInput
    const { url } = config
    if (!url) throw invalidHook('Config must contain URL for webhooks')
    const isSame = (hook: Hook) => hook.url === url && hook.events.join() === events.join()
    if (repository.hooks.some(isSame)) throw invalidHook('Hook already exists on this repository')
    const now = new Date()
    const hook: Hook = {
      id: state.nextId(),
      url,
      secret: config.secret ?? '',
      contentType: config.content_type ?? 'form',
      events,
      isActive: active,
      createdAt: now,
      updatedAt: now,
    }
    repository.hooks.push(hook)
    ping(call, hook)
    return { status: 201, body: hookResponse(state, repository, hook) }
  }),

  'repos/update-webhook': defineRepositoryOperation('repository_hooks:write', (call) => {
    const hook = requireHook(call)
    const input = call.body as HookInput
    const { config } = input
    // A new configuration replaces the old one completely, including the secret.
    if (config) {
      if (!config.url) throw invalidHook('Config must contain URL for webhooks')
      Object.assign(hook, { url: config.url, secret: config.secret ?? '', contentType: config.content_type ?? 'form' })
    }
    hook.events = [...new Set([...(input.events ?? hook.events), ...(input.add_events ?? [])])].filter(
      (event) => !input.remove_events?.includes(event),
    )
    hook.isActive = input.active ?? hook.isActive
    hook.updatedAt = new Date()
    return { status: 200, body: hookResponse(call.state, call.repository, hook) }
  }),

  'repos/delete-webhook': defineRepositoryOperation('repository_hooks:write', (call) => {
    const hook = requireHook(call)
    call.repository.hooks = call.repository.hooks.filter((other) => other !== hook)
    return { status: 204 }
  }),
}
