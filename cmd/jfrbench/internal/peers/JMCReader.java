import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.openjdk.jmc.common.item.IAccessorKey;
import org.openjdk.jmc.common.item.IItem;
import org.openjdk.jmc.common.item.IItemCollection;
import org.openjdk.jmc.common.item.IItemIterable;
import org.openjdk.jmc.common.item.IMemberAccessor;
import org.openjdk.jmc.flightrecorder.JfrLoaderToolkit;
import org.openjdk.jmc.flightrecorder.parser.filter.FilterExtension;
import org.openjdk.jmc.flightrecorder.parser.filter.IOnLoadFilter;
import org.openjdk.jmc.flightrecorder.parser.filter.OnLoadFilters;

/** Reads a recording with the reader of JDK Mission Control, which loads all events first. */
final class JMCReader extends Peers.Reader {
    @Override
    void count(Path file) throws Exception {
        count(load(file, OnLoadFilters.ALLOW_ALL_FILTER));
    }

    @Override
    void read(Path file) throws Exception {
        for (IItemIterable same : load(file, OnLoadFilters.ALLOW_ALL_FILTER)) {
            List<IMemberAccessor<?, IItem>> fields = new ArrayList<>();
            for (IAccessorKey<?> key : same.getType().getAccessorKeys().keySet()) {
                fields.add(same.getType().getAccessor(key));
            }
            for (IItem event : same) {
                for (IMemberAccessor<?, IItem> field : fields) {
                    if (field.getMember(event) != null) {
                        values++;
                    }
                }
                events++;
            }
        }
    }

    /** Leaves events of other types out while it loads. */
    @Override
    void type(Path file, String name) throws Exception {
        count(load(file, OnLoadFilters.includeEvents(Set.of(name))));
    }

    /** Loads without the extensions that change events for the tables of Mission Control. */
    private static IItemCollection load(Path file, IOnLoadFilter filter) throws Exception {
        return JfrLoaderToolkit.loadEvents(List.of(file.toFile()), List.of(new FilterExtension(filter)));
    }

    private void count(IItemCollection loaded) {
        for (IItemIterable same : loaded) {
            for (IItem event : same) {
                events++;
            }
        }
    }
}
