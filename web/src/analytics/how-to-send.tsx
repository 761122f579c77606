/** What to put where, so that views arrive: with the project's own address, id and key in it. */
import { Button, Code, Paper, Stack, Tabs, Text, Title } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { client } from '../app/client.ts'
import { aiViewExample, scriptTag } from '../keys/examples.ts'
import { mayManage, useProject } from '../projects/project.ts'
import { CopyBlock } from '../shown/copy-block.tsx'
import { Failure } from '../shown/failure.tsx'
import { AnchorLink } from '../shown/links.tsx'
import { siteKeysQuery } from './queries.ts'

export function HowToSend({ projectId }: { projectId: string }) {
  return (
    <Paper withBorder p="md" mb="lg">
      <Title order={2} size="h4" mb="xs">
        How to send views
      </Title>
      <Text size="sm" mb="sm">
        Most sites want two: the script for people, and their server, or its logs, for AI. Nothing is counted twice.
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
          <Stack gap="xs">
            <Text size="sm">
              Where Colophon runs: access logs of nginx, Apache or Caddy, of any age. The same file may come again;
              every line counts once.
            </Text>
            <CopyBlock
              label="the command"
              text={`colophon-server import-logs --project ${projectId} /var/log/nginx/docs.access.log*`}
            />
          </Stack>
        </Tabs.Panel>
      </Tabs>
    </Paper>
  )
}

function Script({ projectId }: { projectId: string }) {
  const canMake = mayManage(useProject())
  const queryClient = useQueryClient()
  const keys = useQuery(siteKeysQuery(projectId))
  const make = useMutation({
    mutationFn: () => client.views.createSiteKey(projectId),
    onSuccess: () =>
      Promise.all([
        queryClient.invalidateQueries({ queryKey: siteKeysQuery(projectId).queryKey }),
        queryClient.invalidateQueries({ queryKey: ['setup', projectId] }),
      ]),
  })
  const siteKeys = keys.data?.siteKeys ?? []
  const [first, ...others] = siteKeys
  return (
    <Stack gap="xs">
      <Text size="sm">
        Into the head of every page. It has 1 KB, sets no cookie and stores nothing. The site key in it is public: it
        lets views in and nothing out.
      </Text>
      {first && (
        <CopyBlock label="the script tag" text={scriptTag({ origin: window.location.origin, siteKey: first.key })} />
      )}
      {keys.data && !first && (
        <Text size="sm" fw={600}>
          This project has no site key yet{canMake ? '.' : ': an owner can make one.'}
        </Text>
      )}
      {others.length > 0 && (
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          Other site keys: {others.map(({ key }) => key).join(', ')}
        </Text>
      )}
      <Failure error={keys.error ?? make.error} />
      {canMake && (
        <Button
          variant={first ? 'default' : 'filled'}
          size={first ? 'xs' : 'sm'}
          style={{ alignSelf: 'flex-start' }}
          loading={make.isPending}
          onClick={() => make.mutate()}
        >
          {first ? 'Make another site key' : 'Make a site key'}
        </Button>
      )}
    </Stack>
  )
}

function Server({ projectId }: { projectId: string }) {
  const { origin } = window.location
  const node = `// Express: tell of every request that was answered
app.use((request, response, next) => {
  response.on('finish', () => {
    const { method, path } = request
    const view = {
      path, method, status: response.statusCode,
      userAgent: request.get('user-agent') ?? '', accept: request.get('accept') ?? '',
    }
    fetch('${origin}/v1/ingest/${projectId}/views', {
      method: 'POST',
      headers: { authorization: \`Bearer \${process.env.COLOPHON_API_KEY}\`, 'content-type': 'application/json' },
      body: JSON.stringify({ views: [view] }),
    }).catch(() => {})
  })
  next()
})`
  return (
    <Stack gap="xs">
      <Text size="sm">
        With an API key that has the scope <Code>analytics:write</Code> (
        <AnchorLink to="/projects/$projectId/keys" params={{ projectId }} inherit underline="always">
          make one
        </AnchorLink>
        ). Send everything: what is a view, and of whom, is decided here.
      </Text>
      <CopyBlock label="the curl line" text={aiViewExample({ origin, projectId })} />
      <Text size="sm">
        In a server of Node. For much traffic take the ready-made middleware that comes with Colophon, in{' '}
        <Code>docs/examples</Code>: it sends many at once and repeats what got lost.
      </Text>
      <CopyBlock label="the code for a server of Node" text={node} />
    </Stack>
  )
}
