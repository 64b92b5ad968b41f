package gen;

import gen.Annotations.PathPrefix;
import java.util.Set;
import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.MetadataDefinition;
import jdk.jfr.Name;
import jdk.jfr.SettingControl;

/** An event setting of our own: a prefix that a path must have. */
@MetadataDefinition
@PathPrefix
@Name("gen.Prefix")
@Label("Prefix")
@Description("Text with which a value begins")
public final class PrefixControl extends SettingControl {
    private String prefix = "";

    @Override
    public String combine(Set<String> values) {
        return String.join("", values);
    }

    @Override
    public void setValue(String value) {
        prefix = value;
    }

    @Override
    public String getValue() {
        return prefix;
    }

    boolean accepts(String path) {
        return path.startsWith(prefix);
    }
}
