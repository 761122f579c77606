import { expect, test } from 'vitest'
import { neededPermissions } from '../../code-hosts/github/installation-tokens.ts'
import { appManifest, permissionsBeyond } from './app-manifest.ts'

const githubCom = 'https://github.com'

test('asks for what jobs need, and never for workflows', () => {
  const manifest = appManifest('https://docs-backend.example.com', githubCom)
  expect(manifest).toMatchObject({
    url: 'https://docs-backend.example.com',
    redirect_url: 'https://docs-backend.example.com/github/app-made',
    callback_urls: ['https://docs-backend.example.com/github/installed'],
    public: false,
    hook_attributes: { url: 'https://docs-backend.example.com/v1/webhooks/github', active: true },
  })
  expect(manifest.default_permissions).toEqual(neededPermissions)
  expect(manifest.default_permissions).not.toHaveProperty('workflows')
  expect(Object.entries(manifest.default_permissions).filter(([, level]) => level !== 'read')).toEqual([
    ['contents', 'write'],
    ['pull_requests', 'write'],
  ])
})

test('has a name that GitHub takes', () => {
  expect(appManifest('https://a-very-long-name.of-a-department.example.com', githubCom).name).toHaveLength(34)
})

test('asks for no webhook where GitHub cannot reach us', () => {
  for (const publicUrl of ['http://localhost:8080', 'http://127.0.0.1:8080', 'http://[::1]:8080'])
    expect(Object.keys(appManifest(publicUrl, githubCom))).not.toContain('hook_attributes')
  const onOneMachine = appManifest('http://localhost:8080', 'http://127.0.0.1:9000')
  expect(onOneMachine).toHaveProperty('hook_attributes.active', true)
})

test('an App that may do more than was asked for is told apart', () => {
  const { default_permissions: asked } = appManifest('https://docs-backend.example.com', githubCom)
  expect(permissionsBeyond(asked)).toEqual([])
  expect(permissionsBeyond({ metadata: 'read', contents: 'read' }), 'less is no danger').toEqual([])
  const more = { ...asked, issues: 'write', workflows: 'write', emails: 'read', constructor: 'read' }
  expect(permissionsBeyond(more)).toEqual(['issues: write', 'workflows: write', 'emails: read', 'constructor: read'])
})
