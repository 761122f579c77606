import type { Member } from '@colophon/sdk'
import { Badge, Divider, Group, Select, Stack, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Fragment, useState } from 'react'
import { client } from '../app/client.ts'
import { useSession } from '../app/session.ts'
import { useReauthentication } from '../people/reauthentication.tsx'
import { projectsQuery } from '../projects/project.ts'
import { ErrorAlert } from '../shown/error-alert.tsx'
import { RelativeTime } from '../shown/relative-time.tsx'
import { DangerButton } from './danger-button.tsx'
import { LeaveMemberModal, type Leaving } from './leave-member-modal.tsx'
import { membersQuery } from './queries.ts'
import { isLowerRole, parseRole, roleOptions } from './role-options.ts'
import { SettingsCard } from './settings-card.tsx'

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
  const withReauthentication = useReauthentication()
  const { person } = useSession()
  const [leaving, setLeaving] = useState<Leaving>()
  const refresh = () =>
    Promise.all(
      [membersQuery(projectId).queryKey, projectsQuery.queryKey].map((queryKey) =>
        queryClient.invalidateQueries({ queryKey }),
      ),
    )
  const changeRole = useMutation({
    mutationFn: ({ id, role }: Pick<Member, 'id' | 'role'>) =>
      withReauthentication(() => client.members.changeRole(projectId, id, { role })),
    onSettled: refresh,
  })
  const chooseRole = (member: Member, role: Member['role']) => {
    if (isLowerRole(role, member.role)) setLeaving({ member, role })
    else changeRole.mutate({ id: member.id, role })
  }
  const changing = changeRole.isPending ? changeRole.variables : undefined
  return (
    <SettingsCard title="Members">
      <ErrorAlert error={changeRole.error} />
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
                {member.isDisabled && (
                  <Badge tt="none" size="sm" variant="light" color="red">
                    Disabled
                  </Badge>
                )}
              </Group>
              <Text size="sm" c="dimmed">
                Joined <RelativeTime at={member.createdAt} />
              </Text>
            </Stack>
            {canChange ? (
              <Group gap="xs">
                <Select
                  size="xs"
                  w={110}
                  aria-label={`Role of ${member.email}`}
                  data={roleOptions.map(({ value, label }) => ({ value, label }))}
                  allowDeselect={false}
                  value={changing?.id === member.id ? changing.role : member.role}
                  onChange={(role) => chooseRole(member, parseRole(role))}
                />
                <DangerButton subject={member.email} onClick={() => setLeaving({ member })}>
                  Remove
                </DangerButton>
              </Group>
            ) : (
              <Text size="sm">{roleOptions.find(({ value }) => value === member.role)?.label}</Text>
            )}
          </Group>
        </Fragment>
      ))}
      <Text size="sm" c="dimmed">
        {roleOptions.map(({ label, description }) => `${label}: ${description}`).join('. ')}. A project needs at least
        one owner.
      </Text>
      <LeaveMemberModal
        projectId={projectId}
        leaving={leaving}
        isSelf={leaving?.member.email === person?.email}
        onDone={refresh}
        close={() => setLeaving(undefined)}
      />
    </SettingsCard>
  )
}
