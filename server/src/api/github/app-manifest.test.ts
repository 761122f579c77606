import { expect, test } from 'vitest'
import { requiredAppPermissions } from '../../code-hosts/github/installation-token-cache.ts'
import { createAppManifest, excessPermissions } from './app-manifest.ts'

const githubCom = 'https://github.com'

test('requests the permissions that jobs need, and never workflows', () => {
  const manifest = createAppManifest('https://docs-backend.example.com', githubCom)
  expect(manifest).toMatchObject({
    url: 'https://docs-backend.example.com',
    redirect_url: 'https://docs-backend.example.com/github/app-created',
    callback_urls: ['https://docs-backend.example.com/github/installed'],
    public: false,
    hook_attributes: { url: 'https://docs-backend.example.com/v1/webhooks/github', active: true },
  })
  expect(manifest.default_permissions).toEqual(requiredAppPermissions)
  expect(manifest.default_permissions).not.toHaveProperty('workflows')
  expect(Object.entries(manifest.default_permissions).filter(([, level]) => level !== 'read')).toEqual([
    ['contents', 'write'],
    ['pull_requests', 'write'],
  ])
})

test('shortens the name to what GitHub accepts', () => {
  expect(createAppManifest('https://a-very-long-name.of-a-department.example.com', githubCom).name).toHaveLength(34)
})

test('requests no webhook if GitHub cannot reach the instance', () => {
  for (const publicUrl of ['http://localhost:8080', 'http://127.0.0.1:8080', 'http://[::1]:8080'])
    expect(Object.keys(createAppManifest(publicUrl, githubCom))).not.toContain('hook_attributes')
  const onOneMachine = createAppManifest('http://localhost:8080', 'http://127.0.0.1:9000')
  expect(onOneMachine).toHaveProperty('hook_attributes.active', true)
})

test('finds permissions beyond those that were requested', () => {
  const { default_permissions: requested } = createAppManifest('https://docs-backend.example.com', githubCom)
  expect(excessPermissions(requested)).toEqual([])
  expect(excessPermissions({ metadata: 'read', contents: 'read' }), 'fewer permissions are fine').toEqual([])
  const more = { ...requested, issues: 'write', workflows: 'write', emails: 'read', constructor: 'read' }
  expect(excessPermissions(more)).toEqual(['issues: write', 'workflows: write', 'emails: read', 'constructor: read'])
})
