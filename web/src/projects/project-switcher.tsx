import { Menu, UnstyledButton, VisuallyHidden } from '@mantine/core'
import { IconCheck, IconSelector } from '@tabler/icons-react'
import { useSuspenseQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import styles from '../app/frame.module.css'
import { useSession } from '../app/session.ts'
import { MenuItemLink } from '../shown/links.tsx'
import { projectsQuery } from './project.ts'

export function ProjectSwitcher() {
  const { projectId } = useParams({ strict: false })
  const { person } = useSession()
  const { projects } = useSuspenseQuery(projectsQuery).data
  if (projects.length === 0) return null
  const current = projects.find(({ id }) => id === projectId)
  return (
    <>
      <span className={styles.slash} aria-hidden="true">
        /
      </span>
      <Menu position="bottom-start" width={260} shadow="md">
        <Menu.Target>
          <UnstyledButton className={styles.switcher}>
            <VisuallyHidden>Project: </VisuallyHidden>
            <span>{current?.name ?? 'Select a project'}</span>
            <IconSelector size={16} />
          </UnstyledButton>
        </Menu.Target>
        <Menu.Dropdown mah="70vh" style={{ overflowY: 'auto' }}>
          {projects.map(({ id, name }) => (
            <MenuItemLink
              key={id}
              to="/projects/$projectId"
              params={{ projectId: id }}
              rightSection={id === projectId && <IconCheck size={16} />}
            >
              {name}
            </MenuItemLink>
          ))}
          {(projects.length > 1 || person?.isOperator) && (
            <>
              <Menu.Divider />
              <MenuItemLink to="/">All projects</MenuItemLink>
            </>
          )}
        </Menu.Dropdown>
      </Menu>
    </>
  )
}
