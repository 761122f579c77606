import type { Person } from '@colophon/sdk'
import { Badge, Button, Divider, Group, Menu, Paper, Skeleton, Stack, Text } from '@mantine/core'
import { IconDots } from '@tabler/icons-react'
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query'
import { Fragment, useState } from 'react'
import { client } from '../app/client.ts'
import { useSession } from '../app/session.ts'
import { DocsLink } from '../shown/docs-link.tsx'
import { ErrorAlert } from '../shown/error-alert.tsx'
import { PageHeader } from '../shown/page-header.tsx'
import { RelativeTime } from '../shown/relative-time.tsx'
import { DeletePersonModal } from './delete-person-modal.tsx'
import { DisablePersonModal } from './disable-person-modal.tsx'
import { peopleQuery } from './queries.ts'
import { useReauthentication } from './reauthentication.tsx'

/** For operators: everyone who has an account on the instance. */
export function PeoplePage() {
  const queryClient = useQueryClient()
  const withReauthentication = useReauthentication()
  const query = useInfiniteQuery(peopleQuery)
  const [disabling, setDisabling] = useState<Person>()
  const [deleting, setDeleting] = useState<Person>()
  const refresh = () => queryClient.invalidateQueries({ queryKey: peopleQuery.queryKey })
  const change = useMutation({
    mutationFn: (action: () => Promise<unknown>) => withReauthentication(action),
    onSettled: refresh,
  })
  const people = query.data?.pages.flatMap((page) => page.people)
  return (
    <>
      <PageHeader
        title="People"
        lead={
          <>
            Everyone who has an account on this instance. Members of a project are invited in its settings.{' '}
            <DocsLink page="people" inherit>
              How people get and lose access
            </DocsLink>
          </>
        }
      />
      <Stack>
        <ErrorAlert error={query.error} title="The people could not be loaded" />
        <ErrorAlert error={change.error} />
        {query.isPending && <Skeleton h={200} />}
        {people && (
          <Paper withBorder radius="md" p={{ base: 'md', sm: 'lg' }}>
            <Stack gap="md">
              {people.map((person, index) => (
                <Fragment key={person.id}>
                  {index > 0 && <Divider />}
                  <PersonRow
                    person={person}
                    change={change.mutate}
                    disable={() => setDisabling(person)}
                    remove={() => setDeleting(person)}
                  />
                </Fragment>
              ))}
              {query.hasNextPage && (
                <Group justify="center">
                  <Button variant="default" loading={query.isFetchingNextPage} onClick={() => query.fetchNextPage()}>
                    Show more people
                  </Button>
                </Group>
              )}
            </Stack>
          </Paper>
        )}
      </Stack>
      <DisablePersonModal person={disabling} onDone={refresh} close={() => setDisabling(undefined)} />
      <DeletePersonModal
        person={deleting}
        others={people?.filter(({ id, disabledAt }) => id !== deleting?.id && disabledAt === null) ?? []}
        onDone={refresh}
        close={() => setDeleting(undefined)}
      />
    </>
  )
}

interface PersonRowProps {
  person: Person
  change(action: () => Promise<unknown>): void
  disable(): void
  remove(): void
}

function PersonRow({ person, change, disable, remove }: PersonRowProps) {
  const session = useSession()
  const isSelf = person.id === session.person?.id
  const { id, name, email, isOperator, disabledAt, lastSignInAt, projectCount } = person
  return (
    <Group justify="space-between" gap="sm" wrap="nowrap" align="flex-start">
      <Stack gap={2} style={{ minWidth: 0 }}>
        <Group gap="xs">
          <Text fw={600} size="sm" style={{ overflowWrap: 'anywhere' }}>
            {name}
          </Text>
          {isSelf && <Tag color="gray">You</Tag>}
          {isOperator && <Tag color="blue">Operator</Tag>}
          {disabledAt !== null && <Tag color="red">Disabled</Tag>}
        </Group>
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          {email}
        </Text>
        <Text size="sm" c="dimmed">
          {projectCount === 1 ? '1 project' : `${projectCount} projects`} ·{' '}
          {lastSignInAt === null ? (
            'not signed in'
          ) : (
            <>
              signed in <RelativeTime at={lastSignInAt} />
            </>
          )}
        </Text>
      </Stack>
      <Menu position="bottom-end" width={220} shadow="md">
        <Menu.Target>
          <Button variant="default" size="xs" aria-label={`Actions for ${email}`} px="xs">
            <IconDots size={16} aria-hidden="true" />
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => change(() => client.people.endSessions(id))}>End all sessions</Menu.Item>
          {isOperator ? (
            <Menu.Item onClick={() => change(() => client.people.revokeOperator(id))}>Revoke operator right</Menu.Item>
          ) : (
            disabledAt === null && (
              <Menu.Item onClick={() => change(() => client.people.addOperator(id))}>Make operator</Menu.Item>
            )
          )}
          {disabledAt !== null && <Menu.Item onClick={() => change(() => client.people.enable(id))}>Enable</Menu.Item>}
          {!isSelf && <Menu.Divider />}
          {!isSelf && disabledAt === null && (
            <Menu.Item c="var(--bad)" onClick={disable}>
              Disable…
            </Menu.Item>
          )}
          {!isSelf && (
            <Menu.Item c="var(--bad)" onClick={remove}>
              Delete…
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
    </Group>
  )
}

const Tag = ({ color, children }: { color: string; children: string }) => (
  <Badge tt="none" size="sm" variant="light" color={color}>
    {children}
  </Badge>
)
