import type { Session } from '@colophon/sdk'
import {
  Avatar,
  type MantineColorScheme,
  Menu,
  Text,
  UnstyledButton,
  useMantineColorScheme,
  VisuallyHidden,
} from '@mantine/core'
import { notifications } from '@mantine/notifications'
import {
  IconActivity,
  IconBook2,
  IconCoin,
  IconHistory,
  IconLogout,
  IconServer2,
  IconUser,
  IconUsers,
} from '@tabler/icons-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { toErrorDetail } from '../shown/error-alert.tsx'
import { MenuItemLink } from '../shown/links.tsx'
import { client } from './client.ts'
import { sessionQuery, useSession } from './session.ts'
import { isUnauthenticatedError } from './session-ended.ts'

/** If the session has already ended, that counts as signed out. */
async function signOutOrReload(): Promise<Session> {
  try {
    return await client.session.signOut()
  } catch (error) {
    if (!isUnauthenticatedError(error)) throw error
    return client.session.get()
  }
}

export function PersonMenu() {
  const { person } = useSession()
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  const queryClient = useQueryClient()
  const router = useRouter()
  const signOut = useMutation({
    mutationFn: signOutOrReload,
    onSuccess: async (session) => {
      queryClient.setQueryData(sessionQuery.queryKey, session)
      await router.navigate({ to: '/sign-in' })
      // Remove all data of this person before another one signs in. Only after navigating: the page would fetch it again.
      queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionQuery.queryKey[0] })
    },
    onError: (error) =>
      notifications.show({ color: 'red', title: 'Could not sign out', message: toErrorDetail(error) }),
  })
  if (!person) return null
  return (
    <Menu position="bottom-end" width={240} shadow="md">
      <Menu.Target>
        <UnstyledButton ml="auto">
          <VisuallyHidden>Account menu for {person.name}</VisuallyHidden>
          <Avatar size={30} color="rubric" variant="light" name={person.name} aria-hidden="true" />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          <Text size="sm" fw={600} c="var(--mantine-color-text)" truncate>
            {person.name}
          </Text>
          <Text size="xs" truncate>
            {person.email}
          </Text>
        </Menu.Label>
        <MenuItemLink to="/account" leftSection={<IconUser size={16} />}>
          Account
        </MenuItemLink>
        {person.isOperator && (
          <MenuItemLink to="/instance" leftSection={<IconServer2 size={16} />}>
            Instance status
          </MenuItemLink>
        )}
        {person.isOperator && (
          <MenuItemLink to="/spend" leftSection={<IconCoin size={16} />}>
            Spend of the instance
          </MenuItemLink>
        )}
        {person.isOperator && (
          <MenuItemLink to="/people" leftSection={<IconUsers size={16} />}>
            People
          </MenuItemLink>
        )}
        {person.isOperator && (
          <MenuItemLink to="/audit" leftSection={<IconHistory size={16} />}>
            Audit log
          </MenuItemLink>
        )}
        <MenuItemLink to="/status" leftSection={<IconActivity size={16} />}>
          Status
        </MenuItemLink>
        <Menu.Item component="a" href="/reference" leftSection={<IconBook2 size={16} />}>
          API reference
        </Menu.Item>
        <Menu.Divider />
        <Menu.Label>Appearance</Menu.Label>
        <Menu.RadioGroup value={colorScheme} onChange={(value) => setColorScheme(value as MantineColorScheme)}>
          <Menu.RadioItem value="light">Light</Menu.RadioItem>
          <Menu.RadioItem value="dark">Dark</Menu.RadioItem>
          <Menu.RadioItem value="auto">System</Menu.RadioItem>
        </Menu.RadioGroup>
        <Menu.Divider />
        <Menu.Item leftSection={<IconLogout size={16} />} onClick={() => signOut.mutate()}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
