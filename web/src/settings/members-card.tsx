import type { Member } from '@colophon/sdk'
import { Badge, Divider, Group, Select, Stack, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Fragment, useState } from 'react'
import { client } from '../app/client.ts'
import { useSession } from '../app/session.ts'
import { useFreshSession } from '../people/fresh-session.tsx'
import { projectsQuery } from '../projects/project.ts'
import { Ago } from '../shown/ago.tsx'
import { Failure } from '../shown/failure.tsx'
import { DangerButton } from './danger-button.tsx'
import { membersQuery } from './queries.ts'
import { roleNamed, roles } from './roles.ts'
import { SettingsCard } from './settings-card.tsx'
import { SureModal } from './sure-modal.tsx'

export function MembersCard({
  projectId,
  members,
  canChange,
}: {
  projectId: string
  members: readonly Member[]
  canChange: boolean
}) {
  const queryClient = useQueryClient()
  const fresh = useFreshSession()
  const { person } = useSession()
  const [leaving, setLeaving] = useState<Member>()
  const again = () =>
    Promise.all(
      [membersQuery(projectId).queryKey, projectsQuery.queryKey].map((queryKey) =>
        queryClient.invalidateQueries({ queryKey }),
      ),
    )
  const changeRole = useMutation({
    mutationFn: ({ id, role }: Pick<Member, 'id' | 'role'>) =>
      fresh(() => client.members.changeRole(projectId, id, { role })),
    onSettled: again,
  })
  const remove = useMutation({
    mutationFn: ({ id }: Member) => client.members.remove(projectId, id),
    onSuccess: () => {
      setLeaving(undefined)
      return again()
    },
  })
  const changing = changeRole.isPending ? changeRole.variables : undefined
  return (
    <SettingsCard title="Members">
      <Failure error={changeRole.error} />
      {members.map((member, index) => (
        <Fragment key={member.id}>
          {index > 0 && <Divider />}
          <Group justify="space-between" gap="sm">
            <Stack gap={0} style={{ minWidth: 0 }}>
              <Group gap="xs">
                <Text size="sm" fw={600} style={{ overflowWrap: 'anywhere' }}>
                  {member.email}
                </Text>
                {member.email === person?.email && (
                  <Badge tt="none" size="sm" variant="light" color="gray">
                    You
                  </Badge>
                )}
              </Group>
              <Text size="sm" c="dimmed">
                member since <Ago at={member.createdAt} />
              </Text>
            </Stack>
            {canChange ? (
              <Group gap="xs">
                <Select
                  size="xs"
                  w={110}
                  aria-label={`Role of ${member.email}`}
                  data={roles.map(({ value, label }) => ({ value, label }))}
                  allowDeselect={false}
                  value={changing?.id === member.id ? changing.role : member.role}
                  onChange={(role) => changeRole.mutate({ id: member.id, role: roleNamed(role) })}
                />
                <DangerButton of={member.email} onClick={() => setLeaving(member)}>
                  Remove
                </DangerButton>
              </Group>
            ) : (
              <Text size="sm">{roles.find(({ value }) => value === member.role)?.label}</Text>
            )}
          </Group>
        </Fragment>
      ))}
      <Text size="sm" c="dimmed">
        {roles.map(({ label, may }) => `${label}: ${may}`).join('. ')}. A project keeps at least one owner.
      </Text>
      <SureModal
        opened={leaving !== undefined}
        title={`Remove ${leaving?.email ?? ''}?`}
        action="Remove member"
        mutation={remove}
        onConfirm={() => leaving && remove.mutate(leaving)}
        onClose={() => setLeaving(undefined)}
      >
        {leaving?.email === person?.email
          ? 'You leave the project, and see nothing of it at your next click.'
          : 'They see nothing of this project at their next click.'}{' '}
        API keys stay: revoke those that should not.
      </SureModal>
    </SettingsCard>
  )
}
