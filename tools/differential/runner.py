"""Asks python3-nova's scheduler what ours was asked.

Reads cases as JSON lines from stdin, in the shapes of libs/scheduling (HostView, ScheduleRequest, SchedulingOptions), and
writes one JSON line for each: {"answer": ...} or {"error": "<class of what was raised>"}. One process for all cases.

kinds: `filter` (does the host pass), `weights` (weight of each host), `resources` (request groups of flavor and image),
`request_filter` (traits that a request filter adds).
"""

import json
import logging
import sys
import warnings

warnings.simplefilter('ignore')
logging.disable(logging.CRITICAL)

import nova.conf  # noqa: E402
from nova import context  # noqa: E402
from nova import exception  # noqa: E402
from nova import objects  # noqa: E402
from nova.scheduler import filters  # noqa: E402
from nova.scheduler import host_manager  # noqa: E402
from nova.scheduler import request_filter  # noqa: E402
from nova.scheduler import utils  # noqa: E402
from nova.scheduler import weights  # noqa: E402
from nova.scheduler.filters import all_filters  # noqa: E402

CONF = nova.conf.CONF
CONF([], project='nova', default_config_files=[])
objects.register_all()
CONTEXT = context.get_admin_context()

# names of options in ours -> group and name in nova.conf
OPTIONS = {
    'maxIoOpsPerHost': ('filter_scheduler', 'max_io_ops_per_host'),
    'maxInstancesPerHost': ('filter_scheduler', 'max_instances_per_host'),
    'imagePropertiesDefaultArchitecture': ('filter_scheduler', 'image_properties_default_architecture'),
    'isolatedHosts': ('filter_scheduler', 'isolated_hosts'),
    'isolatedImages': ('filter_scheduler', 'isolated_images'),
    'restrictIsolatedHostsToIsolatedImages': ('filter_scheduler', 'restrict_isolated_hosts_to_isolated_images'),
    'aggregateImagePropertiesIsolationNamespace': (
        'filter_scheduler', 'aggregate_image_properties_isolation_namespace'),
    'aggregateImagePropertiesIsolationSeparator': (
        'filter_scheduler', 'aggregate_image_properties_isolation_separator'),
    'queryPlacementForImageTypeSupport': ('scheduler', 'query_placement_for_image_type_support'),
    'imageMetadataPrefilter': ('scheduler', 'image_metadata_prefilter'),
    'limitTenantsToPlacementAggregate': ('scheduler', 'limit_tenants_to_placement_aggregate'),
    'placementAggregateRequiredForTenants': ('scheduler', 'placement_aggregate_required_for_tenants'),
    'enableIsolatedAggregateFiltering': ('scheduler', 'enable_isolated_aggregate_filtering'),
}
# '' is how ours says that there is none
UNSET = {'imagePropertiesDefaultArchitecture', 'aggregateImagePropertiesIsolationNamespace'}

FILTERS = {cls.__name__: cls() for cls in all_filters()}
WEIGHERS = [cls() for cls in weights.all_weighers()
            if cls.__name__ not in ('MetricsWeigher', 'CrossCellWeigher')]


class Up:
    """The service group, told by the case whether a service is up."""

    def service_is_up(self, service):
        return service['up']


FILTERS['ComputeFilter'].servicegroup_api = Up()


class Aggregates:
    """The database's answers about the aggregates of a case: those with a key and value, and those that a key closes."""

    def __init__(self):
        self.all = []

    def get_by_metadata(self, ctxt, key=None, value=None):
        return [a for a in self.all if any((key is None or k == key) and (value is None or v == value)
                                           for k, v in a.metadata.items())]

    def get_non_matching_by_metadata_keys(self, ctxt, ignored_keys, key_prefix, value):
        return [a for a in self.all if any(k.startswith(key_prefix) and v == value and k not in ignored_keys
                                           for k, v in a.metadata.items())]


AGGREGATES = Aggregates()
objects.AggregateList.get_by_metadata = AGGREGATES.get_by_metadata
objects.AggregateList.get_non_matching_by_metadata_keys = AGGREGATES.get_non_matching_by_metadata_keys


def member(host, n):
    return '%s/%d' % (host, n)


def host_state(view, request):
    host = host_manager.HostState(view['host'], view['node'], None)
    host.uuid = view['nodeId']
    host.hypervisor_hostname = view['node']
    host.host_ip = view['hostIp']
    host.hypervisor_type = view['hypervisorType']
    host.hypervisor_version = view['hypervisorVersion']
    host.cpu_info = view['cpuInfo']
    host.supported_instances = view['supportedInstances']
    host.num_instances = view['runningGuests']
    host.num_io_ops = view['ioOps']
    host.failed_builds = view['failedBuilds']
    host.stats = {k: str(v) for k, v in view['capabilities'].items()}
    host.vcpus_total, host.vcpus_used = view['vcpus'], view['vcpusUsed']
    host.total_usable_ram_mb = view['memoryMb']
    host.free_ram_mb = view['memoryMb'] - view['memoryMbUsed']
    host.total_usable_disk_gb = view['diskGb']
    host.disk_mb_used = view['diskGbUsed'] * 1024
    host.free_disk_mb = (view['diskGb'] - view['diskGbUsed']) * 1024
    service = view['service']
    host.service = {'disabled': service['disabled'], 'disabled_reason': service['disabledReason'],
                    'up': service['up']}
    host.aggregates = [objects.Aggregate(metadata=a['metadata']) for a in view['aggregates']]
    here = [s for s, on in (request.get('hintedServers') or {}).items() if on == view['host']]
    group = request.get('serverGroup')
    if group:
        count = group['membersByHost'].get(view['host'], 0)
        here += [member(view['host'], n) for n in range(count)]
    if request.get('currentHost') == view['host']:
        here.append(request['serverId'])
    host.instances = {s: None for s in here}
    return host


def weighed_state(view, request):
    """What is free by the account of ours, in the places where upstream's weighers look."""
    host = host_state(view, request)
    free = view['free']
    host.free_ram_mb = free['memoryMb']
    host.vcpus_total, host.vcpus_used, host.cpu_allocation_ratio = free['vcpus'], 0, 1.0
    host.free_disk_mb = free['diskGb'] * 1024

    class Pools:
        pools = [{'count': view['freePciDevices']}]
    host.pci_stats = Pools()
    return host


def flavor_of(view):
    return objects.Flavor(name=view['name'], vcpus=view['vcpus'], memory_mb=view['memoryMb'],
                          root_gb=view['rootGb'], ephemeral_gb=view['ephemeralGb'], swap=view['swapMb'],
                          extra_specs=dict(view['extraSpecs']))


def image_of(view):
    if view is None:
        return None
    image = {'id': view['imageId'], 'name': 'image', 'properties': dict(view['properties'])}
    if view.get('diskFormat'):
        image['disk_format'] = view['diskFormat']
    return objects.ImageMeta.from_dict(image)


def group_of(view):
    if not view:
        return None
    members = [member(h, n) for h, count in view['membersByHost'].items() for n in range(count)]
    group = objects.InstanceGroup(CONTEXT, uuid='00000000-0000-4000-8000-00000000000a', policy=view['policy'], policies=[view['policy']],
                                  members=members, hosts=[h for h, c in view['membersByHost'].items() if c > 0])
    rules = {'max_server_per_host': str(view['maxServerPerHost'])} if view['policy'] == 'anti-affinity' else {}
    group._rules = rules
    return group


def spec_of(request):
    return objects.RequestSpec(
        CONTEXT, instance_uuid=request['serverId'], project_id=request['projectId'],
        flavor=flavor_of(request['flavor']), image=image_of(request['image']),
        is_bfv=request['bootFromVolume'], availability_zone=request['availabilityZone'],
        scheduler_hints={k: list(v) for k, v in request['schedulerHints'].items()},
        instance_group=group_of(request.get('serverGroup')), requested_resources=[],
        request_level_params=objects.RequestLevelParams())


def run_filter(case):
    request = case['request']
    spec = spec_of(request)
    return bool(FILTERS[case['name']].host_passes(host_state(case['host'], request), spec))


def run_weights(case):
    request = case['request']
    for name, value in case['multipliers'].items():
        CONF.set_override(name + '_weight_multiplier', value, group='filter_scheduler')
    states = [weighed_state(h, request) for h in case['hosts']]
    weighed = weights.HostWeightHandler().get_weighed_objects(WEIGHERS, states, spec_of(request))
    return {w.obj.host: w.weight for w in weighed}


def run_resources(case):
    spec = spec_of(case['request'])
    built = utils.ResourceRequest.from_request_spec(spec, not case['request'].get('sharedProcessors', False))
    groups = {ident or '': {'resources': dict(g.resources), 'required': sorted(g.required_traits),
                            'forbidden': sorted(g.forbidden_traits)}
              for ident, g in built._rg_by_id.items()}
    return {'groups': groups, 'groupPolicy': built.group_policy}


def run_request_filter(case):
    spec = spec_of(case['request'])
    AGGREGATES.all = [objects.Aggregate(uuid=a['id'], metadata=a['metadata']) for a in case['aggregates']]
    try:
        getattr(request_filter, case['name'])(CONTEXT, spec)
    except exception.RequestFilterFailed:
        return {'refused': True}
    place = spec.requested_destination if 'requested_destination' in spec else None
    return {
        'rootRequired': sorted(spec.root_required),
        'rootForbidden': sorted(spec.root_forbidden),
        'memberOf': sorted(','.join(sorted(either.split(','))) for either in (place and place.aggregates) or []),
        'notMemberOf': sorted((place and place.forbidden_aggregates) or []),
    }


RUN = {'filter': run_filter, 'weights': run_weights, 'resources': run_resources,
       'request_filter': run_request_filter}


def answer(case):
    for name, value in case.get('options', {}).items():
        group, option = OPTIONS[name]
        CONF.set_override(option, None if name in UNSET and value == '' else value, group=group)
    try:
        return {'answer': RUN[case['kind']](case)}
    except Exception as e:  # whatever upstream raises is an answer to compare
        return {'error': type(e).__name__, 'text': str(e)[:200]}


for line in sys.stdin:
    print(json.dumps(answer(json.loads(line))), flush=False)
sys.stdout.flush()
