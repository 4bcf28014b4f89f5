/** Identity's resources and the columns that hold them. */
import { attributes, type ResourceTable } from '../resource-table/resource-table';

export const DOMAINS: ResourceTable = {
  table: 'domains',
  resource: 'domain',
  collection: 'domains',
  attributes: attributes([
    'id',
    'name',
    'description',
    ['enabled', 'bool'],
    ['tags', 'json'],
    ['-extra', 'json'],
    ['-tokens_not_before', 'int'],
  ]),
};

export const PROJECTS: ResourceTable = {
  table: 'projects',
  resource: 'project',
  collection: 'projects',
  attributes: attributes([
    'id',
    'name',
    'domain_id',
    'parent_id',
    'description',
    ['enabled', 'bool'],
    ['tags', 'json'],
    ['-extra', 'json'],
    ['-tokens_not_before', 'int'],
  ]),
};

export const USERS: ResourceTable = {
  table: 'users',
  resource: 'user',
  collection: 'users',
  attributes: attributes([
    'id',
    'name',
    'domain_id',
    'default_project_id',
    'description',
    'email',
    ['enabled', 'bool'],
    ['-extra', 'json'],
    '-password_hash',
    ['-tokens_not_before', 'int'],
  ]),
};

export const GROUPS: ResourceTable = {
  table: 'user_groups',
  resource: 'group',
  collection: 'groups',
  attributes: attributes(['id', 'name', 'domain_id', 'description', ['-extra', 'json']]),
};

export const ROLES: ResourceTable = {
  table: 'roles',
  resource: 'role',
  collection: 'roles',
  attributes: attributes(['id', 'name', 'domain_id', 'description', ['-extra', 'json'], '-domain_key']),
};

export const SERVICES: ResourceTable = {
  table: 'services',
  resource: 'service',
  collection: 'services',
  attributes: attributes(['id', 'type', 'name', 'description', ['enabled', 'bool'], ['-extra', 'json']]),
};

export const REGIONS: ResourceTable = {
  table: 'regions',
  resource: 'region',
  collection: 'regions',
  attributes: attributes(['id', 'parent_region_id', 'description', ['-extra', 'json']]),
};

export const ENDPOINTS: ResourceTable = {
  table: 'endpoints',
  resource: 'endpoint',
  collection: 'endpoints',
  attributes: attributes([
    'id',
    'service_id',
    ['interface', 'text', 'interface_name'],
    'region_id',
    'url',
    ['enabled', 'bool'],
    ['-extra', 'json'],
  ]),
};
