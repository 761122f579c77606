/** Instructions for each source of views, with the URL, the project ID and the site key filled in. */
import { Button, Code, Paper, Stack, Tabs, Text, Title } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { client } from '../app/client.ts'
import { renderAiViewExample, renderScriptTag } from '../keys/examples.ts'
import { canManage, useProject } from '../projects/project.ts'
import { CopyBlock } from '../shown/copy-block.tsx'
import { DocsLink } from '../shown/docs-link.tsx'
import { ErrorAlert } from '../shown/error-alert.tsx'
import { AnchorLink } from '../shown/links.tsx'
import { HumanSourceSwitchedAlert } from './human-source-switched-alert.tsx'
import { siteKeysQuery, viewSettingsQuery } from './queries.ts'
import { renderCheckoutImportCommand, renderContainerImportCommand, renderExpressSnippet } from './sending-snippets.ts'

export function HowToSend({ projectId }: { projectId: string }) {
  return (
    <Paper withBorder p="md" mb="lg">
      <Title order={2} size="h4" mb="xs">
        Send page views
      </Title>
      <Text size="sm" mb="sm">
        Most sites use two sources: the script for human views, and their servers or logs for AI views. Humans are
        counted by only one of them.{' '}
        <DocsLink page="views" inherit>
          Learn about sources
        </DocsLink>
      </Text>
      <Tabs defaultValue="script">
        <Tabs.List mb="sm">
          <Tabs.Tab value="script">Script</Tabs.Tab>
          <Tabs.Tab value="server">Server</Tabs.Tab>
          <Tabs.Tab value="logs">Logs</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="script">
          <Script projectId={projectId} />
        </Tabs.Panel>
        <Tabs.Panel value="server">
          <Server projectId={projectId} />
        </Tabs.Panel>
        <Tabs.Panel value="logs">
          <Logs projectId={projectId} />
        </Tabs.Panel>
      </Tabs>
    </Paper>
  )
}

function Script({ projectId }: { projectId: string }) {
  const canCreate = canManage(useProject())
  const queryClient = useQueryClient()
  const keys = useQuery(siteKeysQuery(projectId))
  const create = useMutation({
    mutationFn: () => client.views.createSiteKey(projectId),
    onSuccess: () =>
      Promise.all(
        [siteKeysQuery(projectId).queryKey, viewSettingsQuery(projectId).queryKey, ['setup', projectId]].map(
          (queryKey) => queryClient.invalidateQueries({ queryKey }),
        ),
      ),
  })
  const siteKeys = keys.data?.siteKeys ?? []
  const [first, ...others] = siteKeys
  return (
    <Stack gap="xs">
      <Text size="sm">
        Add the script to the head of every page. It is 1 KB, sets no cookies and stores nothing. Its site key is
        public: it can submit human views and read nothing.
      </Text>
      {first && (
        <CopyBlock label="script tag" text={renderScriptTag({ origin: window.location.origin, siteKey: first.key })} />
      )}
      {keys.data && !first && (
        <Text size="sm" fw={600}>
          This project has no site key yet.{!canCreate && ' Ask an owner to create one.'}
        </Text>
      )}
      {others.length > 0 && (
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          Other site keys: {others.map(({ key }) => key).join(', ')}
        </Text>
      )}
      {create.data?.humanSourceSwitched && <HumanSourceSwitchedAlert projectId={projectId} />}
      <ErrorAlert error={keys.error ?? create.error} />
      {canCreate && (
        <Button
          variant={first ? 'default' : 'filled'}
          size={first ? 'xs' : 'sm'}
          style={{ alignSelf: 'flex-start' }}
          loading={create.isPending}
          onClick={() => create.mutate()}
        >
          {first ? 'Create another site key' : 'Create site key'}
        </Button>
      )}
    </Stack>
  )
}

function Server({ projectId }: { projectId: string }) {
  const { origin } = window.location
  return (
    <Stack gap="xs">
      <Text size="sm">
        Use an API key with the scope <Code>analytics:write</Code> (
        <AnchorLink to="/projects/$projectId/keys" params={{ projectId }} inherit underline="always">
          create one
        </AnchorLink>
        ). Send every request: Colophon filters out those that are not page views.
      </Text>
      <CopyBlock label="curl command" text={renderAiViewExample({ origin, projectId })} />
      <Text size="sm">
        In Express, this middleware sends one request per view. For a busy site, use the{' '}
        <DocsLink page="examples/node.mjs" inherit>
          middleware for Node servers
        </DocsLink>
        , which sends batches and retries them. There are also examples for{' '}
        <DocsLink page="examples/next-middleware.mjs" inherit>
          Next.js
        </DocsLink>{' '}
        and{' '}
        <DocsLink page="examples/cloudflare-worker.mjs" inherit>
          Cloudflare Workers
        </DocsLink>
        .
      </Text>
      <CopyBlock label="Express middleware" text={renderExpressSnippet({ origin, projectId })} />
    </Stack>
  )
}

function Logs({ projectId }: { projectId: string }) {
  return (
    <Stack gap="xs">
      <Text size="sm">
        Import access logs of nginx, Apache or Caddy, of any age, on a machine that runs Colophon. You can import the
        same file again: every line is counted once. If you installed Colophon with the compose file:
      </Text>
      <CopyBlock label="command for the compose file" text={renderContainerImportCommand(projectId)} />
      <Text size="sm">
        If you installed it from a checkout, with <Code>COLOPHON_DATABASE_URL</Code> set:
      </Text>
      <CopyBlock label="command for a checkout" text={renderCheckoutImportCommand(projectId)} />
    </Stack>
  )
}
