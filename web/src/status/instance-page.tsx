import type { InstanceStatus } from '@colophon/sdk'
import { Alert, Badge, Paper, Skeleton, Stack, Table, Text, Title } from '@mantine/core'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { client } from '../app/client.ts'
import { formatBytes, formatNumber } from '../settings/format-amounts.ts'
import { DocsLink } from '../shown/docs-link.tsx'
import { ErrorAlert } from '../shown/error-alert.tsx'
import { PageHeader } from '../shown/page-header.tsx'
import { RelativeTime } from '../shown/relative-time.tsx'
import { describeComponent } from './component-labels.ts'
import { formatDuration } from './format-duration.ts'
import { describeFailureReason } from './labels.ts'
import { describeProblem } from './problem-labels.ts'

const instanceStatusQuery = queryOptions({
  queryKey: ['instance-status'],
  queryFn: ({ signal }) => client.instance.status({ signal }),
  refetchInterval: 15_000,
})

/** For operators: what runs, what waits, and what to do something about. */
export function InstancePage() {
  const { data, error } = useQuery(instanceStatusQuery)
  return (
    <>
      <PageHeader
        title="Instance status"
        lead={
          <>
            Services, pending work, and problems that need attention.{' '}
            <DocsLink page="operations/support" inherit>
              Get help with a problem
            </DocsLink>
          </>
        }
      />
      <Stack gap="lg">
        {data === undefined && !error && <Skeleton height={320} role="status" aria-label="Loading" />}
        {error && <ErrorAlert error={error} title="The instance status could not be loaded" />}
        {data && (
          <>
            <Problems problems={data.problems} />
            <Services services={data.services} />
            <Queues queues={data.queues} />
            <LastBackup lastBackup={data.lastBackup} />
            <Text size="sm" c="dimmed">
              Version {data.version}. Updated <RelativeTime at={data.readAt} />.
            </Text>
          </>
        )}
      </Stack>
    </>
  )
}

function Problems({ problems }: Pick<InstanceStatus, 'problems'>) {
  if (problems.length === 0)
    return (
      <Alert color="teal" title="Nothing needs attention">
        All services work, and no work has been waiting for too long.
      </Alert>
    )
  return (
    <Stack gap="sm" role="list" aria-label="Problems">
      {problems.map(({ code, severity }) => {
        const { title, action, docsPage } = describeProblem(code)
        return (
          <Alert key={code} color={severity === 'critical' ? 'red' : 'yellow'} title={title} role="listitem">
            {action}{' '}
            <DocsLink page={docsPage} inherit>
              What to do
            </DocsLink>
          </Alert>
        )
      })}
    </Stack>
  )
}

function Services({ services }: Pick<InstanceStatus, 'services'>) {
  return (
    <Paper withBorder p="md" component="section" aria-labelledby="services">
      <Title order={2} size="h4" mb="sm" id="services">
        Services
      </Title>
      <Table>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Service</Table.Th>
            <Table.Th>State</Table.Th>
            <Table.Th>Version</Table.Th>
            <Table.Th ta="right">Size</Table.Th>
            <Table.Th ta="right" visibleFrom="sm">
              Free
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {Object.entries(services).map(([name, { component, version, usedBytes, freeBytes }]) => (
            <Table.Tr key={name}>
              <Table.Td>{describeComponent(name).title}</Table.Td>
              <Table.Td>
                <Badge color={component.status === 'ok' ? 'teal' : 'red'} variant="light">
                  {component.status === 'ok' ? 'OK' : 'Failing'}
                </Badge>
                {component.status === 'failing' && (
                  <Text size="sm" c="dimmed">
                    {describeFailureReason(component.reason)}
                  </Text>
                )}
              </Table.Td>
              <Table.Td className="numbers">{version ?? 'unknown'}</Table.Td>
              <Table.Td ta="right" className="numbers">
                {usedBytes === null ? '' : formatBytes(usedBytes)}
              </Table.Td>
              <Table.Td ta="right" className="numbers" visibleFrom="sm">
                {freeBytes === null ? '' : formatBytes(freeBytes)}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Paper>
  )
}

function Queues({ queues }: Pick<InstanceStatus, 'queues'>) {
  return (
    <Paper withBorder p="md" component="section" aria-labelledby="queues">
      <Title order={2} size="h4" mb="sm" id="queues">
        Work
      </Title>
      {queues === null ? (
        <Text c="dimmed">The queues could not be read from PostgreSQL.</Text>
      ) : (
        <Table>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>What</Table.Th>
              <Table.Th ta="right">Now</Table.Th>
              <Table.Th ta="right">Oldest</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {listRows(queues).map(({ what, now, oldestSeconds }) => (
              <Table.Tr key={what}>
                <Table.Td>{what}</Table.Td>
                <Table.Td ta="right" className="numbers">
                  {now}
                </Table.Td>
                <Table.Td ta="right" className="numbers">
                  {oldestSeconds ? formatDuration(oldestSeconds) : ''}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
    </Paper>
  )
}

function LastBackup({ lastBackup }: Pick<InstanceStatus, 'lastBackup'>) {
  return (
    <Paper withBorder p="md" component="section" aria-labelledby="backup">
      <Title order={2} size="h4" mb="sm" id="backup">
        Backup
      </Title>
      {lastBackup ? (
        <Text>
          The last backup contains everything as of <RelativeTime at={lastBackup.moment} />.
        </Text>
      ) : (
        <Text>
          Colophon has not written a backup yet.{' '}
          <DocsLink page="operations/backup" inherit>
            Set up backups
          </DocsLink>
        </Text>
      )}
    </Paper>
  )
}

interface QueueRow {
  what: string
  now: string
  /** 0: there is none. */
  oldestSeconds: number
}

function listRows({
  turns,
  waitingAttempts,
  runners,
  views,
  deliveries,
}: NonNullable<InstanceStatus['queues']>): QueueRow[] {
  const ofCount = (what: string, { count, oldestAgeSeconds }: { count: number; oldestAgeSeconds: number }) => ({
    what,
    now: formatNumber(count),
    oldestSeconds: count > 0 ? oldestAgeSeconds : 0,
  })
  return [
    { what: 'Runners online', now: `${runners.online} of ${runners.registered}`, oldestSeconds: 0 },
    ofCount('Jobs waiting for a runner', waitingAttempts),
    ofCount('Turns running', turns.running),
    ofCount('Results being published', turns.publishing),
    {
      what: 'Page views waiting for ClickHouse',
      now: formatBytes(views.waitingBytes),
      oldestSeconds: views.oldestAgeSeconds,
    },
    {
      what: 'Buffer of page views, with IDs of deliveries',
      now: `${formatBytes(views.waitingBytes + views.deliveryIdBytes)} of ${formatBytes(views.maxBytes)}`,
      oldestSeconds: 0,
    },
    { what: 'Quarantined batches of page views', now: formatNumber(views.quarantinedBatches), oldestSeconds: 0 },
    {
      what: 'Event deliveries waiting',
      now: formatNumber(deliveries.waiting),
      oldestSeconds: deliveries.oldestDueAgeSeconds,
    },
  ]
}
